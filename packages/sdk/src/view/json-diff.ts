import { child, isObject, type Json, jsonEqual } from '@touchstone/protocol';

/** One value that two documents do not share. */
export type JsonChange = {
  /** Where it stands, as a JSON pointer; empty for the whole document. */
  readonly pointer: string;
  /** Absent when only the second document has it. */
  readonly before?: Json;
  /** Absent when only the first document has it. */
  readonly after?: Json;
};

/** What differs between two JSON documents, by path, in the order of the first and then of the second. */
export function diffJson(before: Json, after: Json, pointer = ''): readonly JsonChange[] {
  if (jsonEqual(before, after)) return [];
  const [one, other] = [membersOf(before), membersOf(after)];
  const isPair = one && other && Array.isArray(before) === Array.isArray(after);
  if (!isPair) return [{ pointer, before, after }];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((key) =>
    diffMember(one.get(key), other.get(key), child(pointer, key)),
  );
}

function diffMember(
  before: Json | undefined,
  after: Json | undefined,
  pointer: string,
): readonly JsonChange[] {
  if (before === undefined) return after === undefined ? [] : [{ pointer, after }];
  return after === undefined ? [{ pointer, before }] : diffJson(before, after, pointer);
}

/** Undefined for what has no members. */
function membersOf(value: Json): ReadonlyMap<string | number, Json> | undefined {
  if (Array.isArray(value)) return new Map(value.entries());
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}
