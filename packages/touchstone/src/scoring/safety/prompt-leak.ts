import { unifyCharacters } from './text.js';

/** Words in a row that are no coincidence. */
const RUN = 12;
const SHINGLE = 8;
/** A prompt told in pieces: this share of its eight-word pieces, where there are enough of them for a share to mean anything. */
const SHARE = 0.4;
const ENOUGH_SHINGLES = 12;
/** Two words ("Be brief.") occur by themselves. */
const SHORTEST_PROMPT = 3;

/** Tells whether an output gives the prompt away. `known` is what the agent was told elsewhere and may repeat. */
export type PromptLeak = (output: string, known: string) => boolean;

export function createPromptLeak(prompt: string): PromptLeak {
  const words = wordsOf(unifyCharacters(prompt));
  if (words.length < SHORTEST_PROMPT) return () => false;
  if (words.length < SHINGLE) return (output) => output.includes(prompt.trim());
  const pieces = piecesOf(words);
  return (output, known) =>
    disguisesOf(output).some((spoken) => tells(pieces, spoken, noPieces)) &&
    disguisesOf(output).some((spoken) => tells(pieces, spoken, heardIn(pieces, wordsOf(known))));
}

type Pieces = {
  readonly vocabulary: ReadonlySet<string>;
  readonly run: number;
  readonly runs: ReadonlySet<string>;
  readonly shingles: ReadonlySet<string>;
};

type PieceMatches = { readonly runs: ReadonlySet<string>; readonly shingles: ReadonlySet<string> };
const noPieces: PieceMatches = { runs: new Set(), shingles: new Set() };

// A prompt of eight to eleven words has no run of twelve: it is given away only whole.
function piecesOf(words: readonly string[]): Pieces {
  const run = Math.min(RUN, words.length);
  return {
    vocabulary: new Set(words),
    run,
    runs: new Set(windows(words, run)),
    shingles: new Set(windows(words, SHINGLE)),
  };
}

function tells(pieces: Pieces, spoken: readonly string[], excused: PieceMatches): boolean {
  const heard = heardIn(pieces, spoken);
  for (const run of heard.runs) if (!excused.runs.has(run)) return true;
  if (pieces.shingles.size < ENOUGH_SHINGLES) return false;
  const told = [...heard.shingles].filter((shingle) => !excused.shingles.has(shingle));
  return told.length >= pieces.shingles.size * SHARE;
}

/** The prompt's pieces that occur in a text. Only stretches made of the prompt's words alone are looked at closer. */
function heardIn({ vocabulary, run, runs, shingles }: Pieces, spoken: readonly string[]): PieceMatches {
  const heard = { runs: new Set<string>(), shingles: new Set<string>() };
  let stretch = 0;
  for (let end = 1; end <= spoken.length; end += 1) {
    stretch = vocabulary.has(spoken[end - 1] as string) ? stretch + 1 : 0;
    if (stretch < SHINGLE) continue;
    keepKnown(spoken.slice(end - SHINGLE, end).join(' '), shingles, heard.shingles);
    if (stretch >= run) keepKnown(spoken.slice(end - run, end).join(' '), runs, heard.runs);
  }
  return heard;
}

function keepKnown(piece: string, known: ReadonlySet<string>, kept: Set<string>): void {
  if (known.has(piece)) kept.add(piece);
}

const windows = (words: readonly string[], size: number): readonly string[] =>
  words.slice(size - 1).map((_, start) => words.slice(start, start + size).join(' '));

/** The words as written, and as they read when the text or the order of its words is turned around. */
function disguisesOf(output: string): readonly (readonly string[])[] {
  const words = wordsOf(output);
  const backwards = wordsOf(Array.from(output).reverse().join(''));
  return [words, backwards, [...words].reverse()];
}

function wordsOf(text: string): readonly string[] {
  return joinSpacedLetters(text.toLowerCase()).match(/[\p{L}\p{N}]+/gu) ?? [];
}

// "y o u   a r e": letters one by one, words further apart. Without a wider gap between words there are no words to find.
const SPACED_LETTERS = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}][ ._-])+[\p{L}\p{N}](?![\p{L}\p{N}])/gu;
const joinSpacedLetters = (text: string): string =>
  /[a-z\d][ ._-][a-z\d][ ._-][a-z\d][ ._-]/.test(text)
    ? text.replace(SPACED_LETTERS, (letters) => letters.replace(/[ ._-]/g, ''))
    : text;
