import { child, type Issue, isObject, typeName } from '@touchstone/protocol';
import type { MemorySeed } from '@touchstone/protocol/bodies';

const MAX_ID_CHARS = 1500;
const MAX_TAG_CHARS = 256;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

type Rule = (value: unknown) => string | undefined;

const isText: Rule = (value) =>
  typeof value === 'string' ? undefined : `Expected a string, got ${typeName(value)}.`;

const isEntryId: Rule = (value) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS
    ? undefined
    : `Expected a string of 1 to ${MAX_ID_CHARS} characters.`;

const isTagList: Rule = (value) =>
  Array.isArray(value) && value.every((tag) => typeof tag === 'string' && tag.length <= MAX_TAG_CHARS)
    ? undefined
    : `Expected an array of strings of at most ${MAX_TAG_CHARS} characters.`;

const isDateTime: Rule = (value) =>
  typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
    ? undefined
    : 'Expected a date and time with its zone, such as 2026-01-31T12:00:00Z.';

const RULES: { readonly [Member in keyof MemorySeed]-?: Rule } = {
  content: isText,
  id: isEntryId,
  tags: isTagList,
  createdAt: isDateTime,
  expiresAt: isDateTime,
};

/**
 * What keeps a seed from becoming a memory entry. Only `content` is needed; the other members are filled in when they
 * are absent. Members a memory entry does not have are left alone: the suite schema keeps seeds open, so a suite
 * written for another host stays installable here.
 */
export function memorySeedIssues(seed: unknown, pointer: string): readonly Issue[] {
  if (!isObject(seed)) return [];
  if (seed.content === undefined) return [{ pointer, message: 'A memory seed needs "content", a string.' }];
  return Object.entries(RULES).flatMap(([member, rule]) => {
    const message = seed[member] === undefined ? undefined : rule(seed[member]);
    return message === undefined ? [] : [{ pointer: child(pointer, member), message }];
  });
}
