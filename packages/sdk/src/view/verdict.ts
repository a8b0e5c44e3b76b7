import {
  type ContractVerdict,
  type EvalReport,
  type ReportedAdjustment,
  type RunStatus,
  type TaskPair,
  verdictOn,
} from '@touchstone/protocol';
import { countsFor, openConditions, otherFailures } from './fail-on.js';
import type { RunView } from './run-view.js';
import { plural, range, score, whole } from './units.js';

/** What is known of a run when it is decided what it came to. */
export type OutcomeFacts = {
  /** The caller stopped following, or no process drives the run; absent means no. */
  readonly interrupted?: boolean;
  /** Where the run stands; absent when nothing is known of it. */
  readonly status?: RunStatus;
  /** Code of the run's error when it failed. */
  readonly errorCode?: string;
  /** Tasks without a score for a reason that is not the agent's answer. */
  readonly unscored?: number;
  /** The suite's thresholds, those that apply; undefined when there is no scorecard. */
  readonly passed?: boolean;
  /** Whether every gate of the contract was passed, of a run that has one; `error` when it could not be told. */
  readonly contract?: ContractVerdict;
  /** Certainty was asked for, and chance alone could explain what came out. */
  readonly inconclusive?: boolean;
  /** Worse than its baseline, and not by chance. */
  readonly regressed?: boolean;
  /** Something else that the caller has named as a failure. */
  readonly failedOtherwise?: boolean;
};

/**
 * What a run came to; exit codes follow it.
 * - `interrupted`: it was not followed to its end
 * - `over-budget`: it ended with `budget_exhausted`
 * - `unjudged`: there is no verdict, because it failed, was cancelled, has unscored tasks, or is not certain enough
 * - `failed`, `passed`: by thresholds, contract and regression
 */
export type Outcome = 'interrupted' | 'over-budget' | 'unjudged' | 'failed' | 'passed';

/** What a run came to: the first that applies. */
export function decideOutcome(facts: OutcomeFacts): Outcome {
  if (facts.interrupted) return 'interrupted';
  if (facts.errorCode === 'budget_exhausted') return 'over-budget';
  const { passed, unscored = 0, contract } = facts;
  if (facts.status !== 'completed' || passed === undefined) return 'unjudged';
  const verdict = verdictOn({ passed, unscored, ...(contract && { contractVerdict: contract }) });
  if (verdict === 'error' || facts.inconclusive) return 'unjudged';
  return verdict === 'pass' && !facts.regressed && !facts.failedOtherwise ? 'passed' : 'failed';
}

/** The outcome of a run as it was collected. */
export const outcomeOf = (view: RunView): Outcome =>
  decideOutcome({
    interrupted: view.interrupted,
    status: view.status,
    ...(view.error && { errorCode: view.error.code }),
    unscored: view.counts.unscored,
    ...(view.summary && { passed: !countsFor(view, 'bar') || areThresholdsMet(view) }),
    ...(view.contract && { contract: view.contract.verdict }),
    inconclusive: view.conclusive === true && (!isConclusive(view) || openConditions(view).length > 0),
    regressed: isRegressed(view),
    failedOtherwise: otherFailures(view).length > 0,
  });

const isRegressed = (view: RunView): boolean =>
  countsFor(view, 'regression') && view.report?.regression?.verdict === 'fail';

/** Those that apply: the pass score of a suite under a contract is a threshold for the whole of it. */
export const areThresholdsMet = ({ summary, contract }: RunView): boolean =>
  contract?.summary.otherBarsMet ?? summary?.passed === true;

/** Without a report nothing is known of chance, and without a comparison nothing of a regression. */
const isConclusive = ({ report, uncompared }: RunView): boolean =>
  uncompared === undefined &&
  report !== undefined &&
  report.verdict !== 'inconclusive' &&
  report.regression?.verdict !== 'inconclusive';

/** The one word for a run, and the colour that goes with it. */
export type VerdictWord = { readonly word: string; readonly paint: 'red' | 'green' | 'yellow' };

/** The word for a run that passed. */
export const PASS = 'PASS';
/** The word for a run that would have passed, had it not been worse than its baseline. */
export const REGRESSION = 'REGRESSION';
/** The word for a run whose result chance alone could explain, when the caller asked for certainty. */
export const INCONCLUSIVE = 'INCONCLUSIVE';

/** It follows the outcome, as the exit code does, so what a person reads and what a script sees cannot differ. */
export function verdictOf(view: RunView): VerdictWord {
  switch (outcomeOf(view)) {
    case 'passed':
      return { word: PASS, paint: 'green' };
    case 'failed':
      return { word: isGood(view) && isRegressed(view) ? REGRESSION : 'FAIL', paint: 'red' };
    case 'over-budget':
      return { word: 'OVER BUDGET', paint: 'yellow' };
    case 'interrupted':
      return { word: 'INTERRUPTED', paint: 'yellow' };
    default:
      return { word: unjudgedWord(view), paint: 'yellow' };
  }
}

/** By itself, whatever it was compared with. */
const isGood = (view: RunView): boolean => areThresholdsMet(view) && view.contract?.verdict !== 'fail';

function unjudgedWord(view: RunView): string {
  if (view.status === 'cancelled') return 'CANCELLED';
  if (view.status === 'failed') return 'RUN FAILED';
  if (view.status !== 'completed') return view.status.toUpperCase();
  const isJudged = view.summary && view.counts.unscored === 0 && view.contract?.verdict !== 'error';
  return view.conclusive && isJudged ? INCONCLUSIVE : 'NOT JUDGED';
}

/** A task without a score makes the sum meaningless, and so everything that chance could have done to it. */
const isWhole = ({ counts }: Pick<RunView, 'counts'>): boolean => counts.unscored === 0;

/** The interval of a run all of whose tasks have a score. */
export const intervalOf = (view: RunView): string | undefined =>
  view.report && isWhole(view) ? intervalWords(view.report) : undefined;

/** `95 %: 0.74–0.98`: where the score could as well lie. */
export const intervalWords = ({ aggregate }: EvalReport): string => `95 %: ${range(aggregate.interval)}`;

/** One line when chance alone could have carried the score to the other side of its threshold. */
export const inconclusiveWords = ({ verdict, aggregate }: EvalReport): string | undefined =>
  verdict === 'inconclusive'
    ? `The threshold ${score(aggregate.bar)} lies within the interval: chance alone could have decided.`
    : undefined;

/** The same, unless that threshold does not apply to this run: then chance has decided nothing, and only certainty is missing. */
export const doubtOf = (view: RunView): string | undefined => {
  const { report, contract, conclusive } = view;
  const applies = conclusive || contract?.summary.otherBarsMet === undefined;
  return report && isWhole(view) && applies ? inconclusiveWords(report) : undefined;
};

/** Chances of repeats, with their usual names. */
export const repeatWords = ({ repeats }: EvalReport): string | undefined =>
  repeats &&
  `of ${repeats.k} repeats at least one passes: ${score(repeats.passAtK)} (pass@${repeats.k}), all pass: ${score(repeats.passHatK)} (pass^${repeats.k})`;

/** `with 2 corrections: 0.95`: the mean score that counts the corrections. */
export const adjustedWords = ({ overrides, score: value }: ReportedAdjustment): string =>
  `with ${plural(overrides.length, 'correction')}: ${score(value)}`;

/** What people would have scored, as far as their labels tell; undefined when there are too few of them. */
export const correctedWords = ({ corrected }: EvalReport): string | undefined =>
  corrected &&
  `With the judge’s error taken into account: ${score(corrected.score)} (95 %: ${range(corrected.interval)}), by labels on ${whole(corrected.labelled)} of ${plural(corrected.judged, 'judged task')}.`;

/** Which way a task crossed its threshold, when it did. */
export function flipOf({
  before,
  after,
}: Pick<TaskPair, 'before' | 'after'>): 'passes' | 'fails' | undefined {
  if (!before || !after || before.unscored || after.unscored || before.passed === after.passed)
    return undefined;
  return after.passed ? 'passes' : 'fails';
}

const READINGS: readonly (readonly [number, string])[] = [
  [0, 'worse than chance'],
  [0.2, 'slight'],
  [0.4, 'fair'],
  [0.6, 'moderate'],
  [0.8, 'substantial'],
];

/** Kappa in a plain word, after the scale of Landis and Koch. */
export function kappaWords(kappa: number | undefined): string {
  if (kappa === undefined) return 'undefined: all verdicts are the same, which chance explains as well';
  if (kappa === 0) return 'no better than chance';
  return READINGS.find(([below]) => kappa < below)?.[1] ?? 'almost perfect';
}

/** Two digits; what is not 1 is never shown as 1. */
export const kappaFigure = (kappa: number): string => (Math.floor(kappa * 100 + 1e-9) / 100).toFixed(2);

/** From so many labels on kappa begins to mean something. */
const ENOUGH_LABELS = 50;

/** What to think of a kappa of few labels; undefined when there are enough. */
export const fewLabelsWords = (labels: number): string | undefined =>
  labels < ENOUGH_LABELS
    ? `Three labels are an anecdote: from ${ENOUGH_LABELS} labels on kappa begins to mean something, and here are ${labels}.`
    : undefined;
