import type { CriterionId, Digest, FindingKind, TaskId } from './ids.js';

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
export type Finding = { readonly kind: FindingKind; readonly severity: Severity };

/** Why a task has no score. None of these is the agent's answer being wrong: that is a score of 0. */
export const UNSCORED_REASONS = [
  'agent_unreachable',
  'judge_unreadable',
  'judge_unreachable',
  'embedder_unreachable',
] as const;
export type UnscoredReason = (typeof UNSCORED_REASONS)[number];

/** "Not scored" is not zero. It becomes the wire's 0 in exactly one function, `foldTask` of the scorecard room. */
export type Score =
  | { readonly kind: 'scored'; readonly value: number; readonly findings: readonly Finding[] }
  | {
      readonly kind: 'unscored';
      readonly reason: UnscoredReason;
      /** What was found is known, whatever became of the score. */
      readonly findings?: readonly Finding[];
    };

/** How an invocation ended. Only a completed one has an answer to score. */
export const INVOCATION_OUTCOMES = ['completed', 'handed-off', 'escalated', 'refused', 'failed'] as const;
export type InvocationOutcome = (typeof INVOCATION_OUTCOMES)[number];

/** Money of one repeat. `unpriced` counts model calls whose price nobody knows; they are never counted as free. */
export type Cost = {
  readonly agentUsd?: number;
  readonly judgeUsd?: number;
  readonly unpriced: number;
  /** Model calls that were answered from the response cache. */
  readonly cacheHits?: number;
};

/** What became of one criterion. Its sentence is content; its name says nothing. */
export type CriterionResult = {
  readonly id: CriterionId;
  readonly met: boolean;
  readonly weight: number;
  /** The share of votes that said so, when there were several. */
  readonly agreement?: number;
  /** To what degree, for criteria that have degrees. */
  readonly value?: number;
  /** Why nobody could decide it; it counts as not met. */
  readonly unjudged?: UnscoredReason;
};

/** The content-free verdict on one repeat of one task. */
export type RepeatScore = {
  readonly score: Score;
  readonly outcome: InvocationOutcome;
  readonly latencyMs: number;
  readonly cost: Cost;
  readonly schemaValid?: boolean;
  readonly criteria?: readonly CriterionResult[];
  /** Who judged, when somebody did. */
  readonly judge?: Digest;
};

/** The content-free verdict on one task: its repeats folded. This is what the scorecard is built from. */
export type TaskResult = {
  readonly taskId: TaskId;
  readonly score: number;
  readonly passed: boolean;
  readonly latencyMs?: number;
  readonly costUsd?: number;
  readonly judgeUsd?: number;
  readonly unpriced?: number;
  readonly cacheHits?: number;
  readonly schemaValid?: boolean;
  readonly findings?: readonly Finding[];
  readonly unscored?: UnscoredReason;
  /** How the invocation ended, when it was not with an answer to score. */
  readonly outcome?: 'failed' | 'refused';
  /** Criteria over all repeats: `met` is the share of repeats that met it. */
  readonly criteria?: readonly (Omit<CriterionResult, 'met'> & { readonly met: number })[];
  readonly judge?: Digest;
  /** What it had to reach, when that is not the suite's or the host's usual bar. */
  readonly bar?: number;
  /** Scores of the single repeats, kept only when there is more than one. */
  readonly repeats?: readonly number[];
};

export type Thresholds = {
  readonly passScore?: number;
  readonly maxCostUsd?: number;
  readonly maxP95LatencyMs?: number;
};
