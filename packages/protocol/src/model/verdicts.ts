/** Of a report: whether the threshold is reached, missed, or within what chance alone could explain. */
export const REPORT_VERDICTS = ['pass', 'fail', 'inconclusive'] as const;
export type ReportVerdict = (typeof REPORT_VERDICTS)[number];

/** Of a contract. `error`: it depends on a criterion that could not be decided, because a model was unreachable. */
export const CONTRACT_VERDICTS = ['pass', 'fail', 'error'] as const;
export type ContractVerdict = (typeof CONTRACT_VERDICTS)[number];

/** Of one criterion of a contract. `warn`: an advisory one that was missed. `error`: it could not be decided. */
export const GATE_STATUSES = ['pass', 'fail', 'warn', 'error'] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];

/** How a criterion is decided. All but the last two need no model. */
export const EVALUATORS = [
  'json-validity',
  'schema-validity',
  'reference-match',
  'normalized-match',
  'contains',
  'forbidden-content',
  'non-empty',
  'token-f1',
  'conciseness',
  'latency',
  'tool-usage',
  'similarity',
  'judge',
] as const;
export type Evaluator = (typeof EVALUATORS)[number];

/** What became of a task from one run to another. `unclear`: one of the two could not score it. `gone`, `new`: only one has it. */
export const TURNS = ['worse', 'unclear', 'better', 'same', 'gone', 'new'] as const;
export type Turn = (typeof TURNS)[number];

/** Why no verdict can be given on two runs: what they do not share. */
export const NO_VERDICT_CODES = [
  'other_suite',
  'other_tasks',
  'other_contract',
  'other_repeats',
  'other_judge',
] as const;
