import { closingQuote, isObject, membersInText, ownMember, typeName } from '@touchstone/protocol';

const QUOTE = 0x22;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Deeper than a scorecard, or its envelope, has any reason to be. */
const MOST_DEPTH = 32;

type ForeignJson = { readonly value: unknown } | { readonly problem: string };

/** The value of a foreign JSON text. The platform's own error quotes the text, so it is dropped here. */
export function parseForeign(text: string): ForeignJson {
  if (nestsTooDeep(text)) return { problem: 'this nests too deep for one' };
  try {
    const value = JSON.parse(text) as unknown;
    // Which of two equal members counts depends on the reader: one would show what the other has not verified.
    return membersInText(text) === membersIn(value)
      ? { value }
      : { problem: 'an object in it has the same member twice' };
  } catch {
    return { problem: 'this is no JSON' };
  }
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, member) => sum + membersIn(member), 0);
  return Array.isArray(value) ? inside : inside + Object.keys(value).length;
}

/** Looks at brackets alone, before anything is parsed: millions of them would cost the parser gigabytes. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) depth -= 1;
    if (depth > MOST_DEPTH) return true;
  }
  return false;
}

/** Bytes of standard base64, padded; undefined for any other spelling, so that one signed content has one text. */
export function fromBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Bytes that are no UTF-8 are refused rather than repaired; a byte order mark is kept, and is no JSON. */
export function fromUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const HOW_TO_WRITE = 'A scorecard file is written by: touchstone export <runId>';

/** What people give instead of a scorecard file, recognised by members that only this kind of document has. */
const LOOKALIKES: readonly (readonly [members: readonly string[], what: string])[] = [
  [['_type', 'predicateType'], 'an in-toto statement without its envelope.'],
  [['aggregateScore', 'tasks'], 'an eval summary, which does not say what exactly was evaluated.'],
  [['aggregate', 'verdict'], 'the report of a run, which leaves out the single results.'],
  [['results', 'summary', 'log'], 'a scorecard without its envelope.'],
  [['runId', 'exitCode', 'summary'], 'the output of --json, which leaves out how the results came about.'],
];

/** Names a document that is no envelope, and says what to do. Nothing of the document itself is repeated. */
export function describeFile(value: unknown): string {
  if (!isObject(value)) return `${typeName(value)}. ${HOW_TO_WRITE}`;
  const known = LOOKALIKES.find(([names]) => names.every((name) => ownMember(value, name) !== undefined));
  return `${known?.[1] ?? 'another JSON document.'} ${HOW_TO_WRITE}`;
}
