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
