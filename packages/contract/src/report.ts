import type { AgentId, CriterionId, Digest, FindingKind, RunId, SuiteId, TaskId, Version } from './ids.js';
import type { EvalMode } from './modes.js';
import type { JudgeIdentity, ModelPin } from './run.js';
import type { Severity, UnscoredReason } from './score.js';

/** Lower and upper end, both included. */
export type Interval = readonly [number, number];

/** Whether the bar is cleared, missed, or within what chance alone could explain. */
export const VERDICTS = ['pass', 'fail', 'inconclusive'] as const;
export type ReportVerdict = (typeof VERDICTS)[number];

/** What the closed scorecard cannot hold: how sure its numbers are, and what they are made of. Content-free as well. */
export type EvalReport = {
  readonly runId: RunId;
  readonly suite: { readonly ref: `${SuiteId}@${Version}`; readonly digest: Digest };
  readonly agent: { readonly agentId: AgentId; readonly version: Version; readonly digest: Digest };
  readonly model?: ModelPin;
  readonly modes: readonly EvalMode[];
  readonly tasks: {
    readonly total: number;
    readonly selected: number;
    readonly passed: number;
    readonly unscored: number;
    /** Which ones, in suite order; absent when there are none. */
    readonly unscoredTasks?: readonly { readonly taskId: TaskId; readonly reason: UnscoredReason }[];
  };
  readonly aggregate: {
    readonly score: number;
    readonly interval: Interval;
    readonly passRate: number;
    readonly passRateInterval: Interval;
    readonly bar: number;
  };
  readonly verdict: ReportVerdict;
  readonly criteria?: readonly ReportedCriterion[];
  readonly repeats?: ReportedRepeats;
  readonly findings?: readonly {
    readonly kind: FindingKind;
    readonly severity: Severity;
    /** In how many tasks. */
    readonly tasks: number;
  }[];
  readonly cost: { readonly agentUsd?: number; readonly judgeUsd?: number; readonly unpriced?: number };
  readonly latency: { readonly p50Ms: number; readonly p95Ms: number; readonly maxMs: number };
  readonly judge?: JudgeIdentity & { readonly agreement?: number };
  readonly safetyJudge?: JudgeIdentity;
  readonly rejudgeOf?: RunId;
  readonly cacheHits?: number;
  readonly nondeterministic?: true;
};

/** One criterion over all tasks that have it. */
export type ReportedCriterion = {
  readonly id: CriterionId;
  /** In how many tasks it was decided. */
  readonly applicable: number;
  /** The mean over those tasks of the share of repeats that met it. */
  readonly met: number;
  /** Its mean weight in those tasks. */
  readonly weight: number;
  readonly agreement?: number;
};

/** Chances of a task's repeats, averaged over the tasks of which every repeat was scored. */
export type ReportedRepeats = {
  readonly k: number;
  readonly tasks: number;
  /** At least one of k repeats passes. */
  readonly passAtK: number;
  /** All k repeats pass. */
  readonly passHatK: number;
  /** The same for fewer repeats, drawn from the k without putting back. */
  readonly curve: readonly { readonly j: number; readonly passAt: number; readonly passHat: number }[];
};
