import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import { type Issue, isUnsound, type JsonObject, validationError } from '@touchstone/contract';
import { type Body, fromBody } from '@touchstone/contract/bodies';
import type { SchemaCheck } from '@touchstone/contract/ports';
import type { Ajv2020 as Ajv, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { RE2JS as Re2 } from 're2js';

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
/** A foreign schema may be written to be slow. What takes longer than this is stopped and counts as not matching. */
const CHECK_TIMEOUT_MS = 1_000;

/** Checks bodies against schemas we did not write. Compiles a schema the first time it is met. */
export function createSchemaCheck(): SchemaCheck {
  const compiled = new WeakMap<JsonObject, Check>();
  return (schema, body) => {
    let check = compiled.get(schema);
    if (!check) {
      check = prepare(schema);
      compiled.set(schema, check);
    }
    return check(body);
  };
}

/** Everything that keeps a schema from being used here; empty when it is fine. */
export function checkForeignSchema(schema: unknown): Issue[] {
  const issue = capIssue(schema);
  if (issue) return [issue];
  try {
    compile(schema as JsonObject);
    return [];
  } catch (error) {
    return [{ pointer: '', message: whyUnusable(error) }];
  }
}

type Check = (body: Body) => readonly Issue[];

function prepare(schema: JsonObject): Check {
  const cap = capIssue(schema);
  if (cap) throw validationError([cap]);
  const validate = compileOrRefuse(schema);
  const simple = isSimple(schema);
  return (body) => {
    const value = fromBody(body);
    try {
      const matches = simple && isSmall(value) ? validate(value) : runBounded(() => validate(value));
      return matches ? [] : (validate.errors ?? []).map(issueOf);
    } catch {
      return [
        {
          pointer: '',
          message: 'could not be checked against the schema within the bounds for foreign schemas',
        },
      ];
    }
  };
}

function compileOrRefuse(schema: JsonObject): ValidateFunction {
  try {
    return compile(schema);
  } catch (error) {
    throw validationError([{ pointer: '', message: whyUnusable(error) }]);
  }
}

function capIssue(schema: unknown): Issue | undefined {
  if (isUnsound(schema, MAX_DEPTH))
    return { pointer: '', message: `A schema may nest ${MAX_DEPTH} levels deep at most.` };
  const bytes = Buffer.byteLength(JSON.stringify(schema) ?? '');
  if (bytes > MAX_BYTES)
    return { pointer: '', message: `A schema may have ${MAX_BYTES} bytes at most, this one has ${bytes}.` };
  return undefined;
}

// Ajv speaks of the schema, never of the value under test; its params could name a member of the value and are left out.
const issueOf = (error: ErrorObject): Issue => ({
  pointer: error.instancePath,
  message: error.message ?? 'does not match the schema',
});

function whyUnusable(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown trouble';
  return `This JSON Schema (2020-12, no remote references, RE2 patterns) cannot be used: ${text.slice(0, 500)}.`;
}

// ------------------------------------------------------------------------------------------------------- the compiler

const require = createRequire(import.meta.url);
let describesSchemas: Ajv | undefined;

/**
 * Every schema gets a compiler of its own. A shared one remembers the `$id`s inside a schema, so two tenants that use
 * the same id would collide, or read each other's.
 */
function compile(schema: JsonObject): ValidateFunction {
  describesSchemas ??= createCompiler({ meta: true });
  if (describesSchemas.validateSchema(schema) !== true) {
    throw new Error(describesSchemas.errorsText(describesSchemas.errors, { dataVar: 'schema' }));
  }
  return createCompiler({ meta: false, validateSchema: false }).compile(schema);
}

// Loaded on first use: most runs have no foreign schema, and the compiler takes longer to load than Node to start.
function createCompiler(options: Options): Ajv {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { RE2JS } = require('re2js') as { RE2JS: typeof Re2 };
  // Linear-time patterns. `code` is what Ajv would print if its output were saved to a file; it never is.
  const regExp = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
    code: 're2',
  });
  return new Ajv2020({ ...options, strict: false, validateFormats: false, logger: false, code: { regExp } });
}

// ------------------------------------------------------------------------------------------------------------- bounds

const SMALL_NODES = 1_000;
const SIMPLE_BYTES = 16 * 1024;
const SLOW_KEYWORDS =
  /"(\$ref|\$dynamicRef|\$recursiveRef|uniqueItems|pattern|patternProperties|unevaluated\w+)":/;

/** Without references and comparisons, work is bounded by schema size times value size. */
function isSimple(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return text.length <= SIMPLE_BYTES && !SLOW_KEYWORDS.test(text);
}

function isSmall(value: unknown): boolean {
  const stack = [value];
  let nodes = 0;
  while (stack.length > 0) {
    const next = stack.pop();
    nodes += 1;
    if (nodes > SMALL_NODES) return false;
    if (typeof next === 'object' && next !== null)
      stack.push(...Object.values(next).slice(0, SMALL_NODES + 1));
  }
  return true;
}

const bounded: { work: (() => boolean) | undefined } = { work: undefined };
let boundedCall: (() => unknown) | undefined;

/** Runs synchronous work under a watchdog that can interrupt it; costs a tenth of a millisecond. */
function runBounded(work: () => boolean): boolean {
  boundedCall ??= prepareBoundedCall();
  bounded.work = work;
  try {
    return boundedCall() === true;
  } finally {
    bounded.work = undefined;
  }
}

function prepareBoundedCall(): () => unknown {
  const script = new Script('bounded.work()');
  const context = createContext({ bounded });
  return () => script.runInContext(context, { timeout: CHECK_TIMEOUT_MS });
}
