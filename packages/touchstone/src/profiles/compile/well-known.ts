import type { Evaluator } from '@touchstone/protocol';

/** What a row must bring for a criterion to be decidable on it. */
export type Need = 'reference' | 'schema' | 'forbidden' | 'tools';

export type Rule = {
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
