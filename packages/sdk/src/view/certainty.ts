import type { EvalReport, ReportedAdjustment } from '@touchstone/protocol';
import type { RunView } from './run-view.js';
import { plural, range, score } from './units.js';

/** `95 %: 0.74–0.98`: where the score could as well lie. */
export const intervalWords = ({ aggregate }: EvalReport): string => `95 %: ${range(aggregate.interval)}`;

/** One line when chance alone could have carried the score to the other side of its bar. */
export const inconclusiveWords = ({ verdict, aggregate }: EvalReport): string | undefined =>
  verdict === 'inconclusive'
    ? `The bar of ${score(aggregate.bar)} lies within the interval: chance alone could have decided.`
    : undefined;

/** The same, unless that bar is not held against this run: then chance has decided nothing, and only certainty is missing. */
export const doubtOf = ({ report, contract, conclusive }: RunView): string | undefined =>
  report && (conclusive || contract?.summary.otherBarsMet === undefined)
    ? inconclusiveWords(report)
    : undefined;

/** Chances of repeats, with their usual names. */
export const repeatWords = ({ repeats }: EvalReport): string | undefined =>
  repeats &&
  `of ${repeats.k} repeats at least one passes: ${score(repeats.passAtK)} (pass@${repeats.k}), all pass: ${score(repeats.passHatK)} (pass^${repeats.k})`;

/** `with 2 corrections: 0.95`, and whether the bar is met then. */
export const adjustedWords = ({ overrides, score: value }: ReportedAdjustment): string =>
  `with ${plural(overrides.length, 'correction')}: ${score(value)}`;
