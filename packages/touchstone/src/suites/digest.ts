import { createHash } from 'node:crypto';
import { asId, canonicalJson, type Digest, isObject, type Json, type JsonObject } from '@touchstone/protocol';

type Write = (piece: string) => void;
type ToText = (value: Json) => string;

const ITEMS_PER_PIECE = 64;

/** SHA-256 over the RFC 8785 form of a sound JSON value. */
export function digestOf(value: Json): Digest {
  const hash = createHash('sha256');
  writeCanonical(value, (piece) => hash.update(piece));
  return asId<Digest>(`sha256:${hash.digest('hex')}`);
}

/**
 * Writes the canonical form in pieces, cut where suites are long: between the items of a top-level member. A suite of
 * a million tasks must not have to exist as one string.
 */
export function writeCanonical(value: Json, write: Write): void {
  const toText = createCanonicalText();
  if (!isObject(value)) {
    write(toText(value));
    return;
  }
  let before = '{';
  for (const key of Object.keys(value).sort()) {
    write(`${before}${JSON.stringify(key)}:`);
    const member = value[key] as Json;
    if (Array.isArray(member)) writeItems(member, toText, write);
    else write(toText(member));
    before = ',';
  }
  write(before === '{' ? '{}' : '}');
}

function writeItems(items: readonly Json[], toText: ToText, write: Write): void {
  let before = '[';
  for (let from = 0; from < items.length; from += ITEMS_PER_PIECE) {
    write(before + toText(items.slice(from, from + ITEMS_PER_PIECE)).slice(1, -1));
    before = ',';
  }
  write(before === '[' ? '[]' : ']');
}

/**
 * The digest of an object with one long list, of which only a piece is at hand at a time. The same as `digestOf` makes of the whole.
 * `head` is the object without the list.
 */
export function createListDigest(head: JsonObject, list: string) {
  const hash = createHash('sha256');
  const toText = createCanonicalText();
  const keys = Object.keys(head).sort();
  const textOf = (key: string): string => `${JSON.stringify(key)}:${toText(head[key] as Json)}`;
  const before = keys.filter((key) => key < list).map((key) => `${textOf(key)},`);
  hash.update(`{${before.join('')}${JSON.stringify(list)}:`);
  let between = '[';
  return {
    add(items: readonly Json[]): void {
      hash.update(between + toText(items).slice(1, -1));
      between = ',';
    },
    end(): Digest {
      const after = keys.filter((key) => key > list).map((key) => `,${textOf(key)}`);
      hash.update(`${between === '[' ? '[]' : ']'}${after.join('')}}`);
      return asId<Digest>(`sha256:${hash.digest('hex')}`);
    },
  };
}

/**
 * A copy with its keys in order lets the platform's serialiser write the text, several times faster than writing it
 * member by member. What cannot be copied in order is written that slow way.
 */
function createCanonicalText(): ToText {
  const orderOf = createKeyOrder();
  return (value) => {
    const ordered = inOrder(value, orderOf);
    return ordered === undefined ? canonicalJson(value) : JSON.stringify(ordered);
  };
}

// One function with plain loops: a suite is copied once, and three that call each other took the compiler as long as
// the copying.
function inOrder(value: Json, orderOf: OrderOf): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy: Json[] = [];
    for (let at = 0; at < value.length; at += 1) {
      const item = inOrder(value[at] as Json, orderOf);
      if (item === undefined) return undefined;
      copy.push(item);
    }
    return copy;
  }
  const members = value as JsonObject;
  const order = orderOf(members);
  if (order === undefined) return undefined;
  const copy: { [key: string]: Json } = {};
  for (let at = 0; at < order.length; at += 1) {
    const key = order[at] as string;
    const member = inOrder(members[key] as Json, orderOf);
    if (member === undefined) return undefined;
    copy[key] = member;
  }
  return copy;
}

type OrderOf = (members: JsonObject) => readonly string[] | undefined;
type KeyOrder = { readonly keys: readonly string[]; readonly order: readonly string[] | undefined };

/** So many lists of keys are remembered for each first key; objects with ever other keys gain nothing from it. */
const MAX_REMEMBERED = 8;

/** The keys of an object in canonical order; undefined when a copy would not keep it. Tasks look alike, so it remembers. */
function createKeyOrder(): OrderOf {
  const byFirst = new Map<string, KeyOrder[]>();
  return (members) => {
    const keys = Object.keys(members);
    const first = keys[0] ?? '';
    const known = byFirst.get(first);
    for (const one of known ?? []) if (areSame(one.keys, keys)) return one.order;
    const order = keys.every(keepsItsPlace) ? keys.toSorted() : undefined;
    if (!known) byFirst.set(first, [{ keys, order }]);
    else if (known.length < MAX_REMEMBERED) known.push({ keys, order });
    return order;
  };
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

// An object lists integer-like keys first and by value, whatever the order they were set in, and `__proto__` is no
// ordinary key of an object literal. Any other key stays where it was put.
function keepsItsPlace(key: string): boolean {
  const first = key.charCodeAt(0);
  return !(first >= 48 && first <= 57) && key !== '__proto__';
}
