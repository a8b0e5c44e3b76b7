import type { Evaluator } from '@touchstone/protocol';
import type { ContractCriterion, LengthBound, SuccessCriterion } from '@touchstone/protocol/bodies';
import type { CompileCode, WarningCode } from './options.js';

/** What a row must bring for a criterion to be decidable on it. */
export type Need = 'reference' | 'schema' | 'forbidden' | 'tools';

type Rule = {
  readonly evaluator: Evaluator;
  readonly class: 'binary' | 'graded';
  readonly direction: 'max' | 'min';
  readonly needs?: Need;
  /** Rows that lack what it needs are judged instead of left out. */
  readonly judgedWithout?: true;
};

const binary = (evaluator: Evaluator, needs?: Need): Rule => ({
  evaluator,
  class: 'binary',
  direction: 'max',
  ...(needs !== undefined && { needs }),
});
const graded = (evaluator: Evaluator, needs?: Need): Rule => ({
  ...binary(evaluator, needs),
  class: 'graded',
});

const JUDGE: Rule = graded('judge');
const LOWER_IS_BETTER: Rule = { ...JUDGE, direction: 'min' };
const JUDGED_WITHOUT: Rule = { ...binary('reference-match', 'reference'), judgedWithout: true };

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['json_validity', binary('json-validity')],
  ['valid_json', binary('json-validity')],
  ['json_schema_validity', binary('schema-validity', 'schema')],
  ['schema_validity', binary('schema-validity', 'schema')],
  ['exact_match', binary('reference-match', 'reference')],
  ['reference_match', binary('reference-match', 'reference')],
  ['accuracy', JUDGED_WITHOUT],
  ['correctness', JUDGED_WITHOUT],
  ['normalized_match', binary('normalized-match', 'reference')],
  ['contains', binary('contains', 'reference')],
  ['forbidden_content', binary('forbidden-content', 'forbidden')],
  ['non_empty', binary('non-empty')],
  ['f1_score', graded('token-f1', 'reference')],
  ['token_f1', graded('token-f1', 'reference')],
  ['semantic_similarity', graded('similarity', 'reference')],
  ['similarity', graded('similarity', 'reference')],
  ['response_conciseness', binary('conciseness')],
  ['conciseness', binary('conciseness')],
  ['latency', binary('latency')],
  ['latency_ms', binary('latency')],
  ['response_time', binary('latency')],
  ['tool_usage', binary('tool-usage', 'tools')],
  ['hallucination_rate', LOWER_IS_BETTER],
  ['error_rate', LOWER_IS_BETTER],
  ['toxicity', LOWER_IS_BETTER],
  ['refusal_rate', LOWER_IS_BETTER],
]);

/** Names are compared in this form: in the table above, among themselves, and by the rows that list them. */
export const normalName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');

/** How a criterion of this name is decided; what is not well known is for the judge. */
export const ruleOf = (name: string): Rule => RULES.get(normalName(name)) ?? JUDGE;

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

const BOUND =
  /\b(under|less than|at most|up to|no more than|within)\s+(\d{1,3}(?:,\d{3})+|\d+)[\s-]*(word|character|sentence|line)s?\b/i;
const EXCLUSIVE: readonly string[] = ['under', 'less than'];

/** The bound a description states in words, e.g. "under 1,000 characters". The first one counts. */
export function lengthBoundOf(description: string): LengthBound | undefined {
  const [, phrase, number, unit] = BOUND.exec(description.replace(/\s+/g, ' ')) ?? [];
  if (phrase === undefined || number === undefined || unit === undefined) return undefined;
  return {
    most: Number(number.replaceAll(',', '')),
    unit: `${unit.toLowerCase()}s` as LengthBound['unit'],
    inclusive: !EXCLUSIVE.includes(phrase.toLowerCase()),
  };
}
