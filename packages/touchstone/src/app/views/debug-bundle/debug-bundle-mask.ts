import { kindOfName, type NameKind } from './debug-bundle-names.js';
import type { Pace } from './debug-bundle-pace.js';
import { isContainer, rewriteDeep } from './debug-bundle-rewrite.js';

/** Takes secrets out of a text. */
export type Mask = (text: string) => Promise<string> | string;

/** The same value with every secret masked; the very same when there is none. */
export type DeepMask = <T>(value: T) => Promise<T>;

/** No credential is shorter, and most texts of an event are. */
const SHORTEST_SECRET = 8;
const MASKED = '[REDACTED]';

/**
 * Masks every text inside a value, names of members included, and whatever a member with a telling name holds. Texts
 * and names are remembered: the same few stand in every event of a run. A mask is made for one bundle, whose size bounds
 * what there is to remember.
 */
export function createDeepMask(mask: Mask, pace: Pace): DeepMask {
  const texts = new Map<string, string>();
  const kindOf = createKinds();

  async function search(text: string): Promise<string> {
    const masked = await mask(text);
    texts.set(text, masked);
    return masked;
  }
  const maskText = (text: string): string | Promise<string> =>
    text.length < SHORTEST_SECRET ? text : (texts.get(text) ?? search(text));

  return async <T>(value: T): Promise<T> => {
    const hidden = await collectHidden(value, kindOf, pace);
    return (await rewriteDeep(value, {
      text: (text) => (hidden.has(text) ? MASKED : maskText(text)),
      replaces: (name, member) => isHiddenBy(kindOf(name), member),
      instead: MASKED,
      pace,
    })) as T;
  };
}

type KindOf = (name: string) => NameKind;

function createKinds(): KindOf {
  const kinds = new Map<string, NameKind>();
  return (name) => {
    const kind = kinds.get(name) ?? kindOfName(name);
    kinds.set(name, kind);
    return kind;
  };
}

/** Nothing is no secret. A text where a number is expected may be anything. */
const isHiddenBy = (kind: NameKind, member: unknown): boolean =>
  (kind === 'secret' && member !== null && member !== undefined) ||
  (kind === 'counter' && typeof member === 'string');

/** Texts under telling names. Where one is repeated in the same value, it is the same secret. */
async function collectHidden(value: unknown, kindOf: KindOf, pace: Pace): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  const open: [part: unknown, isHidden: boolean][] = [[value, false]];
  for (let next = open.pop(); next; next = open.pop()) {
    if (pace.isDue()) await pace.pause();
    const [part, isHidden] = next;
    for (const [name, member] of membersOf(part)) {
      if (pace.isDue()) await pace.pause();
      const hides = isHidden || (name !== undefined && isHiddenBy(kindOf(name), member));
      if (isContainer(member)) open.push([member, hides]);
      else if (hides && typeof member === 'string' && member.length >= SHORTEST_SECRET) hidden.add(member);
    }
  }
  return hidden;
}

/** Items of a list have no names. */
function* membersOf(part: unknown): Generator<readonly [name: string | undefined, member: unknown]> {
  if (Array.isArray(part)) for (const item of part) yield [undefined, item];
  else if (isContainer(part))
    for (const name of Object.keys(part)) yield [name, (part as { readonly [name: string]: unknown })[name]];
}
