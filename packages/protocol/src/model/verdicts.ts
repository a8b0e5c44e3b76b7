/** Of a report: whether the threshold is reached, missed, or within what chance alone could explain. */
export const REPORT_VERDICTS = ['pass', 'fail', 'inconclusive'] as const;
/** `pass`: the interval lies above the threshold. `fail`: below it. `inconclusive`: the threshold lies within it. */
export type ReportVerdict = (typeof REPORT_VERDICTS)[number];

/** Of a contract. `error`: it depends on a criterion that could not be decided, because a model was unreachable. */
export const CONTRACT_VERDICTS = ['pass', 'fail', 'error'] as const;
/** `pass`, `fail`, or `error`: it depends on a criterion that no model could decide. */
export type ContractVerdict = (typeof CONTRACT_VERDICTS)[number];

/** Of one criterion of a contract. `warn`: an advisory one that was missed. `error`: it could not be decided. */
export const GATE_STATUSES = ['pass', 'fail', 'warn', 'error'] as const;
/** `pass`, `fail`, `warn` (an advisory criterion that was missed), or `error` (not decided). */
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
/**
 * How a criterion of a contract is decided.
 * - `json-validity`, `schema-validity`, `non-empty`, `conciseness`: by the form of the answer
 * - `reference-match`, `normalized-match`, `contains`, `token-f1`: by comparing words with a reference
 * - `forbidden-content`, `tool-usage`, `latency`: by what must not occur, by calls, by time
 * - `similarity`: an embedding model compares meanings. `judge`: a model decides.
 */
export type Evaluator = (typeof EVALUATORS)[number];

/** What became of a task from one run to another. `unclear`: one of the two could not score it. `gone`, `new`: only one has it. */
export const TURNS = ['worse', 'unclear', 'better', 'same', 'gone', 'new'] as const;
/** What became of a task from one run to another; see `TURNS`. */
export type Turn = (typeof TURNS)[number];

/**
 * Why no verdict can be given on two runs: what they do not share.
 * - `other_suite`, `other_tasks`: another suite, or another selection of its tasks
 * - `other_contract`: the suite was compiled with another contract
 * - `other_repeats`: each task ran another number of times
 * - `other_judge`: another judge, embedder or safety policy scored it
 */
export const NO_VERDICT_CODES = [
  'other_suite',
  'other_tasks',
  'other_contract',
  'other_repeats',
  'other_judge',
] as const;

/** Why a run is less than evidence: its agent is a function of the caller's program. */
export const CAVEATS = ['inProcess'] as const;
/** Why a run is less than evidence. */
export type Caveat = (typeof CAVEATS)[number];
