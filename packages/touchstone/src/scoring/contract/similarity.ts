import { redactDeep } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { Checker, CheckWork, Embedder, Spend } from '../../ports/index.js';
import { foldingCost } from '../cost.js';
import { textOf } from '../output.js';
import type { AppliedCriterion } from './applied.js';
import {
  type CriterionDecision,
  type CriterionDecisions,
  decideByDegree,
  type EvaluationContext,
  type Measurement,
} from './decisions.js';
import { NO_REFERENCE, referencesOf } from './evaluators.js';
import { wordOverlap } from './words.js';

type Vector = readonly number[];
type Comparison = Measurement | Extract<CriterionDecision, { kind: 'undecided' }>;

/** Decides all criteria about how near an answer is in meaning to its references, by one comparison. */
export async function compareMeanings(
  applied: readonly AppliedCriterion[],
  context: EvaluationContext,
): Promise<CriterionDecisions> {
  const [first] = applied;
  if (!first) return new Map();
  const references = (referencesOf(first.task) ?? []).map(textOf).filter(saysSomething);
  const compared = await compare(textOf(fromBody(context.output)), references, context);
  return new Map(
    applied.map(
      (one) => [one, 'degree' in compared ? decideByDegree(one.criterion, compared) : compared] as const,
    ),
  );
}

/**
 * The nearest reference counts. The degree is the cosine itself, with 0 for a negative one: a threshold then means what it
 * means wherever cosines are used.
 */
async function compare(
  answer: string,
  references: readonly string[],
  { check, embedder, redact, signal, spend }: EvaluationContext,
): Promise<Comparison> {
  if (references.length === 0) return NO_REFERENCE;
  if (!saysSomething(answer)) return { degree: 0 };
  if (!embedder) return compareWords({ answer, references }, check, signal);
  return nearestMeaning(redactDeep([answer, ...references], redact), embedder, signal, spend);
}

/** How near the first text is in meaning to the nearest of the others. Nothing is asked when it says nothing. */
export async function nearestMeaning(
  texts: readonly string[],
  embedder: Embedder,
  signal: AbortSignal,
  spend: Spend,
): Promise<Comparison> {
  if (!saysSomething(texts[0] ?? '')) return { degree: 0 };
  const embedded = await embedder.embed(texts, signal, spend);
  if (embedded.kind !== 'embedded') return undecided(embedded.reason);
  const [vector = [], ...others] = embedded.vectors;
  const degree = Math.max(0, ...others.map((other) => cosine(vector, other)));
  return Number.isNaN(degree) || others.length !== texts.length - 1
    ? undecided('The embedder gave vectors that cannot be compared.')
    : { degree: Math.min(1, degree) };
}

type WordQuestion = { readonly answer: string; readonly references: readonly string[] };

/** How far the words of an answer are those of the nearest reference. */
export const NEAREST_WORDS: CheckWork<WordQuestion, number> = {
  name: 'nearest-words',
  run: ({ answer, references }) => Math.max(...references.map((one) => wordOverlap(answer, one))),
};

/** Only for contracts that allow it: words in common are a hint of a common meaning, not more. */
async function compareWords(
  question: WordQuestion,
  check: Checker,
  signal: AbortSignal,
): Promise<Measurement> {
  const { answer, references } = question;
  const compared = references.reduce((sum, one) => sum + answer.length + one.length, 0);
  return {
    degree: await check(NEAREST_WORDS, question, foldingCost(compared), signal),
    reason:
      'Approximate: the words were compared, because there was no embedder and no judge to compare the meanings.',
  };
}

const undecided = (reason: string): Comparison => ({
  kind: 'undecided',
  unjudged: 'embedder_unreachable',
  reason,
});

/** Embedders refuse empty texts. */
const saysSomething = (text: string): boolean => text.trim() !== '';

/** The cosine of the angle between two vectors; no number when one has no direction or they are of different lengths. */
function cosine(a: Vector, b: Vector): number {
  if (a.length !== b.length) return Number.NaN;
  const [left, right] = [scaled(a), scaled(b)];
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

/** Brought near to 1 before anything is squared: squares of very large or small numbers are no numbers any more. */
function scaled(vector: Vector): Vector {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return vector.map((value) => value / largest);
}

const dot = (a: Vector, b: Vector): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
