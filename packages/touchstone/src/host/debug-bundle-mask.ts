import { redactDeep } from '@touchstone/contract';

/** Takes secrets out of a text. */
export type Mask = (text: string) => Promise<string> | string;

/** No credential is shorter, and most texts of an event are. */
const SHORTEST_SECRET = 8;

// The same few names stand in every event of a run, and looking for secrets is the costly part of a bundle.
const LONGEST_REMEMBERED = 256;
const MOST_REMEMBERED = 4_096;

/** A password need not look like one. What a member of such a name holds is masked as a whole. */
const SECRET_NAME =
  /(?:pass(?:word|wd|phrase|code)|secret|(?:api|access|private)[ _-]?key|token|authorization|credentials?)$/i;
const MASKED = '[REDACTED]';

/** Masks every text inside a value, names of members included. */
export function createDeepMask(mask: Mask): <T>(value: T) => Promise<T> {
  const remembered = new Map<string, string>();

  async function maskText(text: string): Promise<string> {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const masked = await mask(text);
    if (text.length <= LONGEST_REMEMBERED && remembered.size < MOST_REMEMBERED) remembered.set(text, masked);
    return masked;
  }

  return async (value) => {
    const texts: Texts = { plain: new Set(), secret: new Set() };
    collect(value, texts, false);
    const masked = new Map<string, string>();
    for (const text of texts.plain) masked.set(text, await maskText(text));
    for (const text of texts.secret) masked.set(text, MASKED);
    return redactDeep(value, (text) => masked.get(text) ?? text);
  };
}

type Texts = { readonly plain: Set<string>; readonly secret: Set<string> };

function collect(value: unknown, texts: Texts, secret: boolean): void {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST_SECRET) texts[secret ? 'secret' : 'plain'].add(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) collect(name, texts, false);
    collect(member, texts, secret || SECRET_NAME.test(name));
  }
}
