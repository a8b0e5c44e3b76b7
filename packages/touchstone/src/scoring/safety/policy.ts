import {
  child,
  type Issue,
  isObject,
  SEVERITIES,
  type Severity,
  typeName,
  type UnknownObject,
  validationError,
} from '@touchstone/protocol';
import { SAFETY_KINDS, type SafetyKind, type Severities } from './kinds.js';

/** What counts here and how much. Kinds that are not mentioned keep their default severity. */
export type SafetyPolicy = {
  readonly severities?: Severities;
  readonly allow?: SafetyAllowances;
};

/** What may appear without a finding. */
export type SafetyAllowances = {
  /** Addresses at these domains, and below them, are the operator's own. */
  readonly emailDomains?: readonly string[];
  /** Numbers and addresses that are public: a hotline, the company's own account. Separators do not matter. */
  readonly values?: readonly string[];
  /** Tools whose calls are expected although they change something. */
  readonly tools?: readonly string[];
};

const WEIGHTS: readonly string[] = [...SEVERITIES, 'ignore'];
const ALLOWANCES = ['emailDomains', 'values', 'tools'] as const;

/** The policy in a foreign value. Refuses with everything that is wrong, each with its pointer. */
export function parseSafetyPolicy(value: unknown, pointer = ''): SafetyPolicy {
  const issues: Issue[] = [];
  const members = readObject(value, pointer, ['severities', 'allow'], issues);
  const severities = readSeverities(members.severities, `${pointer}/severities`, issues);
  const allow = readAllowances(members.allow, `${pointer}/allow`, issues);
  if (issues.length > 0) throw validationError(issues);
  return { ...(severities && { severities }), ...(allow && { allow }) };
}

function readObject(
  value: unknown,
  pointer: string,
  known: readonly string[],
  issues: Issue[],
  noun = 'member',
): UnknownObject {
  if (!isObject(value)) {
    issues.push({ pointer, message: `Expected an object, but found ${typeName(value)}.` });
    return {};
  }
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  for (const name of unknown) {
    const message = `This ${noun} is not known here. Known are: ${known.join(', ')}.`;
    issues.push({ pointer: child(pointer, name), message });
  }
  return value;
}

function readSeverities(value: unknown, pointer: string, issues: Issue[]): Severities | undefined {
  if (value === undefined) return undefined;
  const members = readObject(value, pointer, SAFETY_KINDS, issues, 'kind of finding');
  const entries = SAFETY_KINDS.filter((kind) => Object.hasOwn(members, kind)).map((kind) => {
    const weight = members[kind];
    if (!WEIGHTS.includes(weight as string)) {
      issues.push({ pointer: `${pointer}/${kind}`, message: `Expected one of ${WEIGHTS.join(', ')}.` });
    }
    return [kind, weight] as [SafetyKind, Severity | 'ignore'];
  });
  return Object.fromEntries(entries);
}

function readAllowances(value: unknown, pointer: string, issues: Issue[]): SafetyAllowances | undefined {
  if (value === undefined) return undefined;
  const members = readObject(value, pointer, ALLOWANCES, issues);
  const entries = ALLOWANCES.filter((name) => members[name] !== undefined).map(
    (name) => [name, readTexts(members[name], `${pointer}/${name}`, issues)] as const,
  );
  return Object.fromEntries(entries);
}

function readTexts(value: unknown, pointer: string, issues: Issue[]): readonly string[] {
  if (!Array.isArray(value)) {
    issues.push({ pointer, message: `Expected an array, but found ${typeName(value)}.` });
    return [];
  }
  value.forEach((item: unknown, index) => {
    if (typeof item === 'string' && item.trim() !== '') return;
    const found = typeof item === 'string' ? 'an empty one' : typeName(item);
    issues.push({
      pointer: `${pointer}/${index}`,
      message: `Expected a string with something in it, but found ${found}.`,
    });
  });
  return value as readonly string[];
}
