import type { Json } from '@touchstone/contract';

/** Replaces what must not be written down inside a text. Undefined when there is nothing to replace. */
export type Redact = ((text: string) => string) | undefined;

/**
 * The same value with every text redacted, names of members included. A value without anything to replace comes back
 * as it is, so that the usual case copies nothing.
 */
export function redactDeep<T>(value: T, redact: Redact): T {
  return redact ? (redactJson(value as Json, redact) as T) : value;
}

function redactJson(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => redactJson(item, redact));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  let changed = false;
  const members = Object.entries(value).map(([name, member]) => {
    const entry = [redact(name), redactJson(member as Json, redact)] as const;
    changed ||= entry[0] !== name || entry[1] !== member;
    return entry;
  });
  return changed ? Object.fromEntries(members) : value;
}
