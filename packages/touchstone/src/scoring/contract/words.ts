import type { LengthBound } from '@touchstone/protocol/bodies';

const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
// Made when the first such word is met: it loads tables for some ten milliseconds, at every start of the command.
let segmenter: Intl.Segmenter | undefined;
/** Every segment comes with a copy of the whole text, so a long text is taken apart in stretches. */
const STRETCH = 4_096;
function segments(word: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const found: string[] = [];
  for (let from = 0; from < word.length; from += STRETCH)
    for (const { segment } of segmenter.segment(word.slice(from, from + STRETCH))) found.push(segment);
  return found;
}

/** Words between spaces, and inside them where a script writes none. */
export const scriptWords = (word: string): readonly string[] =>
  SPACELESS.test(word) ? segments(word) : [word];

const MEANT = /[\p{L}\p{N}]/u;
// What makes a number another number stays: its sign, its decimal point, its per cent.
const PUNCTUATION = /(?!\.\p{Nd})(?!(?<=\p{Nd})%)(?!(?<![\p{L}\p{N}])-\.?\p{Nd})[\p{P}\p{Sk}]/gu;
const ARTICLES = new Set(['a', 'an', 'the']);

/**
 * The words of a text without what two spellings of one answer differ in: case, punctuation, articles, white space, and
 * the way characters are encoded. An article stands before something, so the "A" of a multiple choice is none.
 */
export function foldedWords(text: string): readonly string[] {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\u2212/g, '-')
    .replace(/(?<=\p{Nd}),(?=\p{Nd}{3}(?!\p{Nd}))/gu, '')
    .replace(/['’‘]|\.(?!\p{Nd})/gu, '')
    .replace(PUNCTUATION, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.filter((word, at) => !ARTICLES.has(word) || at === words.length - 1);
}

/** Whether two texts are the same but for folding. Where folding leaves nothing of them, nothing is forgiven. */
export function sameFolded(a: string, b: string): boolean {
  const [left, right] = [foldedWords(a).join(' '), foldedWords(b).join(' ')];
  return left === right && (left !== '' || a.trim() === b.trim());
}

/** Whether a text holds the words of another one in a row. */
export function containsFolded(text: string, part: string): boolean {
  const [whole, words] = [foldedWords(text).join(' '), foldedWords(part).join(' ')];
  if (words === '') return text.includes(part);
  return SPACELESS.test(words) ? whole.includes(words) : ` ${whole} `.includes(` ${words} `);
}

/** How far the words of two texts are the same ones, each counted as often as it stands there (F1). */
export function wordOverlap(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => foldedWords(text).flatMap(scriptWords)) as [string[], string[]];
  if (left.length === 0 || right.length === 0) return sameFolded(a, b) ? 1 : 0;
  const unmatched = new Map<string, number>();
  for (const word of left) unmatched.set(word, (unmatched.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of right) {
    const count = unmatched.get(word) ?? 0;
    if (count > 0) common += 1;
    unmatched.set(word, count - 1);
  }
  return (2 * common) / (left.length + right.length);
}

/** How long a text is. Characters are code points; a word holds a letter or a digit, and hyphens do not part it. */
export function lengthIn(unit: LengthBound['unit'], text: string): number {
  if (unit === 'characters') return [...text].length;
  if (unit === 'lines') return countLines(text);
  if (unit === 'sentences') return countSentences(text);
  return text
    .split(/\s+/)
    .flatMap(scriptWords)
    .filter((word) => MEANT.test(word)).length;
}

/** From the first line that says something to the last, empty ones in between included. */
function countLines(text: string): number {
  const said = text.trim();
  return said === '' ? 0 : said.split(/\r\n|[\n\r\u0085\u2028\u2029]/).length;
}

// A full stop ends a sentence when something follows that can begin one; after an initial or a title it does not.
const ENDS_OF_SENTENCES =
  /(?<=[。！？])|(?<=[.!?…]["'”’)\]]{0,4})(?<!\b(?:\p{Lu}|Mrs?|Ms|Dr|Prof|St|vs)\.)\s+(?![\s\p{Ll}])/u;
const NEW_PARAGRAPH = /\n[^\S\n]*\n|\n(?=[^\S\n]*(?:[-*•]|\p{Nd}+[.)])[^\S\n])/u;

function countSentences(text: string): number {
  const pieces = text.split(NEW_PARAGRAPH).flatMap((paragraph) => paragraph.split(ENDS_OF_SENTENCES));
  const sentences = pieces.filter((piece) => /\p{L}/u.test(piece)).length;
  return sentences === 0 && MEANT.test(text) ? 1 : sentences;
}
