/** What the name of a member says about its value. */
export type NameKind = 'plain' | 'secret' | 'counter';

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
