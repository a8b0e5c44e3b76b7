import type { CheckName } from './checks/catalogue.js';
import type { CriterionId, Digest, ErrorName, FindingKind, ModelName, TaskId, VariableName } from './ids.js';

/** How bad a safety finding is, least first. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
/** How bad a safety finding is: `low`, `medium`, `high` or `critical`. */
export type Severity = (typeof SEVERITIES)[number];

/** What a safety check found in an answer, without a word of the answer. */
export type Finding = {
  /** What sort of thing was found, e.g. `secret`. */
  readonly kind: FindingKind;
  /** By the safety policy of the run. */
  readonly severity: Severity;
};

/** Why a task has no score. None of these is the agent's answer being wrong: that is a score of 0. */
export const UNSCORED_REASONS = [
  'agent_denied',
  'agent_unreachable',
  'judge_denied',
  'judge_unreadable',
  'judge_unreachable',
  'embedder_unreachable',
  'user_denied',
  'user_unreadable',
  'user_unreachable',
  'scorer_failed',
  'scorer_unreadable',
  'no_answer',
  'check_over_limit',
] as const;
/**
 * Why a task has no score.
 * - `agent_unreachable`: the agent or its model did not answer, after all retries
 * - `judge_unreachable`: the judge did not answer, or its provider refused the question
 * - `judge_unreadable`: the judge's answer holds no verdict on every criterion
 * - `embedder_unreachable`: the model that compares meanings did not answer
 * - `user_unreachable`: the model that plays the user of a conversation did not answer
 * - `user_unreadable`: what that model said is neither words for the agent nor an end
 * - `scorer_failed`: a scorer threw an error, ended, or took too long
 * - `scorer_unreadable`: what a scorer gave back is no score
 * - `no_answer`: the file of recorded answers has none for the task
 * - `check_over_limit`: checking the answer took more time or memory than a tenant has for one check
 */
export type UnscoredReason = (typeof UNSCORED_REASONS)[number];

/** A provider that did not let this host in: a wrong key, no credit, a model it does not have. Content-free. */
export type AccessDenial = {
  /** The provider's name in the configuration, or the id of the agent that was asked directly. */
  readonly provider: ModelName;
  /** The HTTP status it answered with. */
  readonly status: number;
  /** `error.code` or `error.type` of its answer, where that is a plain name; never its message. */
  readonly code?: ErrorName;
  /** The environment variable that holds the credential; absent when none is configured. */
  readonly keyEnv?: VariableName;
};

/** What was answered, and what to look at. */
export const describeDenial = ({ provider, status, code, keyEnv }: AccessDenial): string =>
  `${provider} answered ${[status, code].filter(Boolean).join(' ')}` +
  (keyEnv === undefined ? '' : `; the key is read from ${keyEnv}`);

/** "Not scored" is not zero. It becomes the wire's 0 in exactly one function, `foldTask` of the scorecard module. */
export type Score =
  | {
      /** The answer was judged; a wrong one has the value 0. */
      readonly kind: 'scored';
      /** From 0 to 1. */
      readonly value: number;
      /** What safety checks found; empty when they found nothing or did not run. */
      readonly findings: readonly Finding[];
      /** All safety checks of an adversarial run have looked at the answer, so that an empty list says that it is clean. */
      readonly probed?: true;
    }
  | {
      /** Something else than the answer was missing. */
      readonly kind: 'unscored';
      /** What was missing. */
      readonly reason: UnscoredReason;
      /** Who did not let this host in, for the reasons that end in `_denied`. */
      readonly denial?: AccessDenial;
      /** What was found is known, even without a score. */
      readonly findings?: readonly Finding[];
    };

/** How an invocation ended. Only a completed one has an answer to score. */
export const INVOCATION_OUTCOMES = ['completed', 'handed-off', 'escalated', 'refused', 'failed'] as const;
/**
 * How an invocation ended.
 * - `completed`: with an answer
 * - `escalated`: with an answer whose confidence is below the threshold; it is scored as well
 * - `refused`: the agent declined
 * - `failed`: without a valid answer
 * - `handed-off`: another agent took over; this host has no handoffs
 */
export type InvocationOutcome = (typeof INVOCATION_OUTCOMES)[number];

/** Money of one repeat, in US dollars. */
export type Cost = {
  /** Known cost of the agent's own model calls; absent when none has a known price. */
  readonly agentUsd?: number;
  /** Known cost of judging it; absent when no judge was asked or its price is unknown. */
  readonly judgeUsd?: number;
  /** Known cost of the model that played the user; absent when there was none or its price is unknown. */
  readonly simulatedUserUsd?: number;
  /** Model calls of unknown price. They are never counted as free. */
  readonly unpriced: number;
  /** Model calls that were answered from the response cache. */
  readonly cacheHits?: number;
};

/** What was decided about one criterion. Its sentence is content; its name says nothing. */
export type CriterionResult = {
  /** Names the criterion without its words. */
  readonly id: CriterionId;
  /** Whether the answer met it. */
  readonly met: boolean;
  /** How much it counts beside the others of its task, as the suite's author wrote it. */
  readonly weight: number;
  /** The share of votes that said so, when there were several. */
  readonly agreement?: number;
  /** To what degree, from 0 to 1, for criteria that have degrees. */
  readonly value?: number;
  /** The check that was not met, by its name; absent for prose and for what was met. */
  readonly check?: CheckName;
  /** The scorer that decided it, by the digest of its files; absent when no scorer was asked. */
  readonly scorer?: Digest;
  /** Why it could not be decided; it counts as not met. */
  readonly unjudged?: UnscoredReason;
};

/** The content-free result of one repeat of one task. */
export type RepeatScore = {
  /** The score, or why there is none. */
  readonly score: Score;
  /** How the invocation ended. */
  readonly outcome: InvocationOutcome;
  /** From the first request to the final answer, in milliseconds. */
  readonly latencyMs: number;
  /** What the repeat cost. */
  readonly cost: Cost;
  /** Whether the answer fits the agent's return schema; absent when it has none. */
  readonly schemaValid?: boolean;
  /** One per criterion, in the order of the rubric; absent for golden tasks. */
  readonly criteria?: readonly CriterionResult[];
  /** The judge that decided criteria; absent when none was asked. */
  readonly judge?: Digest;
};

/** The content-free result of one task: its repeats folded. This is what the scorecard is built from. */
export type TaskResult = {
  /** The task in its suite. */
  readonly taskId: TaskId;
  /** The mean of the repeats, from 0 to 1; 0 when there is no score. */
  readonly score: number;
  /** Whether the score reached the task's threshold. */
  readonly passed: boolean;
  /** The slowest repeat, in milliseconds. */
  readonly latencyMs?: number;
  /** Known cost of all repeats, judging and a simulated user included, in US dollars; absent when nothing is known. */
  readonly costUsd?: number;
  /** The part of `costUsd` that went to judges. */
  readonly judgeUsd?: number;
  /** The part of `costUsd` that went to the model that played the user. */
  readonly simulatedUserUsd?: number;
  /** Model calls of unknown price; absent when there are none. */
  readonly unpriced?: number;
  /** Model calls answered from the response cache; absent when there are none. */
  readonly cacheHits?: number;
  /** Whether every answer fits the agent's return schema; absent when it has none. */
  readonly schemaValid?: boolean;
  /** What safety checks found in any repeat. Empty when an adversarial run found nothing; absent when any other run did. */
  readonly findings?: readonly Finding[];
  /** Why there is no score; the 0 above then says nothing about the answer. */
  readonly unscored?: UnscoredReason;
  /** Who did not let this host in, when that is why there is no score. */
  readonly denial?: AccessDenial;
  /** How the invocation ended, when it was not with an answer to score. */
  readonly outcome?: 'failed' | 'refused';
  /** Criteria over all repeats: `met` is the share of repeats that met it. */
  readonly criteria?: readonly (Omit<CriterionResult, 'met'> & { readonly met: number })[];
  /** The judge that decided criteria; absent when none was asked. */
  readonly judge?: Digest;
  /** The threshold of this task, when it is not the suite's or the host's usual one. */
  readonly bar?: number;
  /** Scores of the single repeats, kept only when there is more than one. */
  readonly repeats?: readonly number[];
};

/** What a run must reach, as the suite's author wrote it. An absent member demands nothing. */
export type Thresholds = {
  /** The least mean score, from 0 to 1; also what each task must reach to pass. The host has defaults for both. */
  readonly passScore?: number;
  /** The most that all tasks together may cost, in US dollars. */
  readonly maxCostUsd?: number;
  /** The largest 95th percentile of response times, in milliseconds. */
  readonly maxP95LatencyMs?: number;
};
