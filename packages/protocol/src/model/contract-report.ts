import type { AgentId, CriterionId, Digest, RunId, SuiteId, Version } from './ids.js';
import type { EmbedderPin, JudgeIdentity } from './run.js';

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

/** `warn`: an advisory one that was missed. `error`: somebody who was to decide it could not be asked. */
export const GATE_STATUSES = ['pass', 'fail', 'warn', 'error'] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];

export type ReportedGate = {
  readonly id: CriterionId;
  readonly strict: boolean;
  readonly evaluator: Evaluator;
  /** Tasks in which it was decided, and in how many of them it was met in every repeat. */
  readonly applicable: number;
  readonly met: number;
  /** `met` of `applicable`; absent when it was decided nowhere. */
  readonly rate?: number;
  readonly required: number;
  /** The mean degree, for criteria that have degrees. */
  readonly mean?: number;
  /** Tasks in which nobody could be asked. */
  readonly unjudged?: number;
  readonly status: GateStatus;
};

/** `error`: it hangs on something that nobody could decide. */
export const CONTRACT_VERDICTS = ['pass', 'fail', 'error'] as const;
export type ContractVerdict = (typeof CONTRACT_VERDICTS)[number];

/** Whether an agent keeps the contract it carries. Content-free, like the scorecard beside which it stands. */
export type ContractReport = {
  readonly runId: RunId;
  readonly suite: { readonly ref: `${SuiteId}@${Version}`; readonly digest: Digest };
  readonly agent: { readonly agentId: AgentId; readonly version: Version; readonly digest: Digest };
  readonly contract: Digest;
  readonly verdict: ContractVerdict;
  readonly tasks: { readonly total: number; readonly selected: number; readonly passed: number };
  readonly criteria: readonly ReportedGate[];
  readonly sla?: {
    readonly expectedLatencyMs: number;
    readonly p95Ms: number;
    readonly policy: 'gate' | 'warn';
    readonly status: GateStatus;
  };
  /** The scorecard's own verdict, by the thresholds alone. */
  readonly summary: {
    readonly score: number;
    readonly passed: boolean;
    /** Of a part of the suite, whose pass score is a bar for the whole of it: whether the other bars are met. */
    readonly otherBarsMet?: boolean;
  };
  readonly dataset?: { readonly digest: Digest; readonly rows: number };
  readonly judge?: JudgeIdentity;
  readonly embedder?: EmbedderPin;
};
