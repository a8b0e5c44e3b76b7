import { bodyError, type Issue } from '../../model/errors.js';
import type { SchemaName, schemas } from '../catalogue.js';
import { type PayloadType, payloadRef } from '../openwop/payloads/run-event-payloads.js';
import type { RunCreateWire } from '../openwop/run-create.js';
import type { Wire } from './build.js';
import { createCompiler, type Validator } from './compile.js';
import { explain } from './explain.js';
import { byId, idOf, resolve } from './resolve.js';

/** Everything that keeps a value from being the named shape; nothing when it fits. */
export const check = (name: SchemaName, value: unknown): readonly Issue[] => checkAt(idOf(name), value);

/** Everything that keeps a value from being the payload of an event of this type. */
export const checkPayload = (type: PayloadType, payload: unknown): readonly Issue[] =>
  checkAt(`${idOf('run-event-payloads')}${payloadRef(type)}`, payload);

/** The value as the named shape, or a `validation_error` that lists all that is wrong with it. */
export function parse<Name extends SchemaName>(name: Name, value: unknown): Wire<(typeof schemas)[Name]> {
  const issues = check(name, value);
  if (issues.length > 0) throw bodyError(issues);
  return value as Wire<(typeof schemas)[Name]>;
}

/** The body of `POST /v1/runs`. */
export const parseRunCreate = (value: unknown): RunCreateWire => parse('run-create', value);

function checkAt(address: string, value: unknown): readonly Issue[] {
  if (validatorOf(address)(value)) return [];
  const issues = explain(resolve(address), value, resolve);
  // Only a value that is no plain JSON (members inherited from a prototype, say) is refused without a reason.
  return issues.length > 0 ? issues : [{ pointer: '', message: 'expected plain JSON' }];
}

let compiler: ReturnType<typeof createCompiler> | undefined;
const validators = new Map<string, Validator>();

function validatorOf(address: string): Validator {
  compiler ??= createCompiler(byId);
  const validator = validators.get(address) ?? compiler(address);
  validators.set(address, validator);
  return validator;
}
