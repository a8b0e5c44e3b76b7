/** Takes secrets out of a text. */
export type Mask = (text: string) => Promise<string> | string;

/** The same value with every secret masked; the identical value when it holds none. */
export type DeepMask = <T>(value: T) => Promise<T>;

/** Keeps long work from blocking the event loop. */
export type Pace = {
  /** Whether it is time to pause or to stop. Cheap enough to be asked at every step. */
  isDue(): boolean;
  /** Yields to the event loop; throws when the caller has aborted. */
  pause(): Promise<void>;
};

/** No credential is shorter, and most texts of an event are. */
const SHORTEST_SECRET = 8;
const MASKED = '[REDACTED]';

type Members = { readonly [name: string]: unknown };
const isContainer = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/**
 * Masks every text inside a value, names of members included, and the whole value of a member whose name says that it is
 * secret. Texts and names are remembered: the same few occur in every event of a run. A mask is made for one bundle, whose
 * size bounds what there is to remember.
 */
export function createDeepMask(mask: Mask, pace: Pace): DeepMask {
  const texts = new Map<string, string>();
  const kinds = new Map<string, NameKind>();

  /** An empty member is no secret. A text where a count is expected may be anything. */
  function isHiddenBy(name: string, member: unknown): boolean {
    const kind = kinds.get(name) ?? kindOfName(name);
    kinds.set(name, kind);
    if (kind === 'secret') return member !== null && member !== undefined;
    return kind === 'counter' && typeof member === 'string';
  }

  async function search(text: string): Promise<string> {
    const masked = await mask(text);
    texts.set(text, masked);
    return masked;
  }

  /** Texts under secret names. The same text elsewhere in the value is the same secret. */
  async function collectSecrets(value: unknown): Promise<ReadonlySet<string>> {
    const secrets = new Set<string>();
    const open: [part: unknown, isSecret: boolean][] = [[value, false]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [part, isSecret] = next;
      if (!isContainer(part)) continue;
      const isList = Array.isArray(part);
      for (const name of Object.keys(part)) {
        if (pace.isDue()) await pace.pause();
        const member = part[name];
        const hides = isSecret || (!isList && isHiddenBy(name, member));
        if (isContainer(member)) open.push([member, hides]);
        else if (hides && typeof member === 'string' && member.length >= SHORTEST_SECRET) secrets.add(member);
      }
    }
    return secrets;
  }

  /** No promise for what is known at once: one for each of a million numbers would cost more than all the rest. */
  function rewrite(value: unknown, secrets: ReadonlySet<string>): unknown | Promise<unknown> {
    if (isContainer(value)) return rewriteMembers(value, secrets);
    return typeof value === 'string' ? maskText(value, secrets) : value;
  }

  function maskText(text: string, secrets: ReadonlySet<string>): string | Promise<string> {
    if (secrets.has(text)) return MASKED;
    return text.length < SHORTEST_SECRET ? text : (texts.get(text) ?? search(text));
  }

  async function rewriteMembers(members: Members, secrets: ReadonlySet<string>): Promise<unknown> {
    const isList = Array.isArray(members);
    const entries: [string, unknown][] = [];
    let isChanged = false;
    for (const name of Object.keys(members)) {
      if (pace.isDue()) await pace.pause();
      const member = members[name];
      const next = !isList && isHiddenBy(name, member) ? MASKED : rewrite(member, secrets);
      const shown = next instanceof Promise ? await next : next;
      const nextName = isList ? name : maskText(name, secrets);
      const shownName = typeof nextName === 'string' ? nextName : await nextName;
      isChanged ||= shown !== member || shownName !== name;
      entries.push([shownName, shown]);
    }
    if (!isChanged) return members;
    return isList ? entries.map(([, shown]) => shown) : Object.fromEntries(entries);
  }

  return async <T>(value: T) => (await rewrite(value, await collectSecrets(value))) as T;
}

/** What the name of a member says about its value. */
type NameKind = 'plain' | 'secret' | 'counter';

const SECRET_WORD =
  /(?:password|passwd|passphrase|passcode|pwd|secret|token|apikey|accesskey|privatekey|credential|authorization|cookie|sessionid|bearer)s?\d*$|^o?auth\d*$/;
const SECRET_WORDS = /\b(?:api|access|private) keys?\b|\bsession ids?\b/;
/** Only at the end: `dbPass` holds one, `passRate` and `passAt` do not. */
const SECRET_END = /\bpass$/;

/** Tokens of language are counted, in names like these. */
const TOKEN = /\btokens?\b/;
const COUNTING =
  /\b(?:input|output|total|max|min|cache|cached|read|write|prompt|completion|reasoning|thinking|text|audio|image|budget|limit|count|used|usage|per)\b/;

/**
 * A password need not look like one, but what it is called gives it away. Names are read as words, however they are
 * joined. Counted tokens are no secret: a debug bundle is read for what a run has used, too.
 */
export function kindOfName(name: string): NameKind {
  const words = wordsOf(name);
  const named = words.filter((word) => SECRET_WORD.test(word));
  const phrase = words.join(' ');
  if (named.length === 0) return SECRET_WORDS.test(phrase) || SECRET_END.test(phrase) ? 'secret' : 'plain';
  const isCounter =
    named.every((word) => TOKEN.test(word)) && COUNTING.test(phrase) && !SECRET_WORDS.test(phrase);
  return isCounter ? 'counter' : 'secret';
}

const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g;

const wordsOf = (name: string): readonly string[] =>
  name
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
