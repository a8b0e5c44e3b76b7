import type { ContractCriterion, LengthBound, SuccessCriterion } from '@touchstone/protocol/bodies';
import { lengthBoundOf } from './length-bound.js';
import type { CompileCode, WarningCode } from './trouble.js';
import type { Rule } from './well-known.js';

/** What a name, a description and a threshold mean together, or what keeps them from meaning anything. */
export type Reading = {
  readonly measure: Pick<
    ContractCriterion,
    'evaluator' | 'class' | 'direction' | 'rate' | 'degree' | 'bound' | 'latencyMs'
  >;
  readonly issue?: { readonly code: CompileCode; readonly message: string };
  readonly warnings: readonly { readonly code: WarningCode; readonly message: string }[];
};

export type ReadingContext = {
  readonly percentThresholds: boolean;
  readonly expectedLatencyMs: number | null;
};

const DEFAULT_DEGREE = 0.5;

/**
 * A threshold means different things: the share of tasks that must meet a binary criterion, the degree from which a
 * graded one is met, or, above 1, milliseconds and words.
 */
export function readThreshold(source: SuccessCriterion, rule: Rule, context: ReadingContext): Reading {
  if (rule.evaluator === 'latency') return readLatency(source, rule, context);
  if (rule.evaluator === 'conciseness') return readConciseness(source, rule, context);
  return readShare(source.threshold, rule, context);
}

const fractionOf = (threshold: number, { percentThresholds }: ReadingContext): number =>
  percentThresholds && threshold > 1 ? threshold / 100 : threshold;

function readShare(threshold: number | null, rule: Rule, context: ReadingContext): Reading {
  const value = threshold === null ? null : fractionOf(threshold, context);
  const { evaluator, direction } = rule;
  const share = Math.min(1, Math.max(0, value ?? 1));
  const measure: Reading['measure'] =
    rule.class === 'binary'
      ? { evaluator, class: 'binary', direction, rate: share }
      : { evaluator, class: 'graded', direction, rate: 1, degree: value === null ? DEFAULT_DEGREE : share };
  const issue = rangeIssue(value, direction, context);
  return { measure, warnings: shareWarnings(value, direction), ...(issue && { issue }) };
}

function rangeIssue(
  value: number | null,
  direction: Rule['direction'],
  { percentThresholds }: ReadingContext,
): Reading['issue'] {
  if (value === null) return undefined;
  const code = 'threshold_out_of_range';
  if (value > 1) {
    const message = percentThresholds
      ? 'Expected a percentage of at most 100.'
      : 'Expected a threshold of at most 1, e.g. 0.95 for 95 %. Percentages are taken by touchstone compile --percent-thresholds.';
    return { code, message };
  }
  return direction === 'min' && value < 0
    ? {
        code,
        message: 'Lower is better here, and nothing is lower than 0. Expected a threshold from 0 to 1.',
      }
    : undefined;
}

function shareWarnings(value: number | null, direction: Rule['direction']): Reading['warnings'] {
  const always = {
    code: 'threshold_always_met',
    message: 'Every answer meets this threshold, so the criterion decides nothing.',
  } as const;
  if (direction === 'max') return value !== null && value <= 0 ? [always] : [];
  const message =
    'Lower is better by this name: it is met when the degree is at or below the threshold, not above it.';
  return [{ code: 'lower_is_better', message }, ...(value === 1 ? [always] : [])];
}

function readLatency(source: SuccessCriterion, rule: Rule, context: ReadingContext): Reading {
  const { threshold } = source;
  if (threshold !== null && threshold > 1) {
    const { measure } = readShare(null, rule, context);
    return { measure: { ...measure, latencyMs: threshold }, warnings: [] };
  }
  const reading = readShare(threshold, rule, context);
  if (context.expectedLatencyMs !== null)
    return { ...reading, measure: { ...reading.measure, latencyMs: context.expectedLatencyMs } };
  const message =
    'Expected a bound: a threshold in milliseconds (above 1), or expected_latency_ms in the profile.';
  return { ...reading, issue: { code: 'latency_bound_missing', message } };
}

function readConciseness(source: SuccessCriterion, rule: Rule, context: ReadingContext): Reading {
  const { threshold } = source;
  const stated = lengthBoundOf(source.description ?? '');
  if (threshold !== null && threshold > 1 && !context.percentThresholds)
    return readLength(threshold, stated, rule, context);
  if (stated === undefined) return readUnbounded(source, context);
  const isGraded = threshold !== null && fractionOf(threshold, context) < 1;
  const reading = readShare(threshold, { ...rule, class: isGraded ? 'graded' : 'binary' }, context);
  return { ...reading, measure: { ...reading.measure, bound: stated } };
}

/** A threshold above 1 is a number of words, unless the description states a bound of its own: that one is in words. */
function readLength(
  threshold: number,
  stated: LengthBound | undefined,
  rule: Rule,
  context: ReadingContext,
): Reading {
  const { measure } = readShare(null, rule, context);
  const bound = stated ?? { most: threshold, unit: 'words', inclusive: true };
  const message = `The description states another bound than the threshold; the description counts (${bound.most} ${bound.unit}).`;
  return {
    measure: { ...measure, bound },
    warnings: bound.most === threshold ? [] : [{ code: 'bound_disagrees', message }],
  };
}

function readUnbounded({ threshold }: SuccessCriterion, context: ReadingContext): Reading {
  const judged: Rule = { evaluator: 'judge', class: 'graded', direction: 'max' };
  const reading = readShare(threshold, judged, context);
  const message =
    'The description states no bound such as "under 50 words" or "at most 3 sentences", so a judge decides.';
  return { ...reading, warnings: [...reading.warnings, { code: 'bound_not_found', message }] };
}
