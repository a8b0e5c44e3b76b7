import { child, type Issue, MAX_JSON_DEPTH } from '@touchstone/protocol';

const MAX_REPORTED = 20;
const UNSOUND = -1;

/**
 * How many keys a value has in all its objects, if it is plain, interchangeable JSON; undefined if it is not. This is
 * the way nearly every suite takes, so no pointer is built on it, and one walk answers both questions. The depth limit
 * comes before everything else that recurses (validators, matchers, the digest) and is also what stops a cycle.
 */
export function keysIfSound(value: unknown): number | undefined {
  const keys = countKeys(value, 0);
  return keys === UNSOUND ? undefined : keys;
}

/**
 * Where a value is not plain, interchangeable JSON: what `1e999`, YAML's `.nan` or half a surrogate pair become after
 * parsing. RFC 8785 has no canonical form for these, so a suite that holds one can have no digest.
 */
export function soundnessIssues(value: unknown): readonly Issue[] {
  const issues: Issue[] = [];
  collect(value, '', 0, issues);
  return issues;
}

// Every supported Node has this method; the ES2023 typings do not name it yet.
const wellFormed = (text: string): boolean => (text as unknown as { isWellFormed(): boolean }).isWellFormed();

// One function with plain loops: a suite is walked once, by code that has not run before, and cutting this into smaller
// functions made that first walk four times slower.
function countKeys(value: unknown, depth: number): number {
  if (typeof value === 'string') return wellFormed(value) ? 0 : UNSOUND;
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : UNSOUND;
  if (typeof value === 'boolean' || value === null) return 0;
  if (typeof value !== 'object' || depth >= MAX_JSON_DEPTH) return UNSOUND;
  const isArray = Array.isArray(value);
  const members = value as { readonly [key: string | number]: unknown };
  const keys = isArray ? undefined : Object.keys(value);
  const length = keys ? keys.length : (value as readonly unknown[]).length;
  let count = keys ? length : 0;
  for (let index = 0; index < length; index += 1) {
    const key = keys ? (keys[index] as string) : index;
    if (typeof key === 'string' && !wellFormed(key)) return UNSOUND;
    const inside = countKeys(members[key], depth + 1);
    if (inside === UNSOUND) return UNSOUND;
    count += inside;
  }
  return count;
}

function problemIn(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return wellFormed(value)
        ? undefined
        : 'Expected well-formed text; this string holds half a surrogate pair.';
    case 'number':
      return Number.isFinite(value) ? undefined : 'Expected a finite number that fits a double.';
    case 'boolean':
    case 'object':
      return undefined;
    default:
      return `Expected a JSON value, but this is of type ${typeof value}.`;
  }
}

function collect(value: unknown, pointer: string, depth: number, issues: Issue[]): void {
  if (issues.length >= MAX_REPORTED) return;
  const message = problemIn(value);
  if (message !== undefined) issues.push({ pointer, message });
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_JSON_DEPTH) {
    issues.push({ pointer, message: `Nested deeper than ${MAX_JSON_DEPTH} levels. Flatten the value.` });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (!wellFormed(key)) {
      issues.push({
        pointer,
        message: 'Expected well-formed member names; one holds half a surrogate pair.',
      });
    } else collect(member, child(pointer, key), depth + 1, issues);
  }
}
