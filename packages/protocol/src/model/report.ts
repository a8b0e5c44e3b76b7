import type {
  AgentId,
  AnnotationId,
  CriterionId,
  Digest,
  EventId,
  FindingKind,
  PrincipalId,
  RunId,
  SliceName,
  SuiteId,
  TaskId,
  Timestamp,
  Version,
} from './ids.js';
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
  readonly agent: ReportedAgent;
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
  /** The same run with people's corrections in place of the scores they are about. */
  readonly adjusted?: ReportedAdjustment;
  readonly regression?: ReportedRegression;
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
  /** Parts of the suite. Looked at after the fact and all at once, so they point somewhere and prove nothing. */
  readonly slices?: readonly ReportedSlice[];
};

type ReportedAgent = { readonly agentId: AgentId; readonly version: Version; readonly digest: Digest };

export type ReportedAdjustment = {
  readonly score: number;
  readonly passed: boolean;
  /** The latest correction of each task, in suite order. */
  readonly overrides: readonly ReportedOverride[];
};
export type ReportedOverride = {
  readonly taskId: TaskId;
  readonly eventId: EventId;
  readonly annotationId: AnnotationId;
  readonly before: { readonly score: number; readonly passed: boolean };
  readonly after: { readonly score: number; readonly passed: boolean };
  readonly by: PrincipalId;
  readonly at: Timestamp;
  /** Earlier corrections of the same score, which no longer count. */
  readonly replaced?: number;
};

/** The run held against an earlier one, task by task. Tasks that either run could not score are left out. */
export type ReportedRegression = {
  readonly baselineRunId: RunId;
  readonly baseline: {
    readonly agent: ReportedAgent;
    readonly model?: ModelPin;
    readonly score: number;
    readonly endedAt: Timestamp;
    /** It came as a scorecard file. */
    readonly imported?: true;
  };
  /** Mean score minus the baseline's, as the scorecards have them: negative is worse. */
  readonly scoreDelta: number;
  /** Where the mean of the task differences could lie. */
  readonly interval: Interval;
  /** One-sided sign-flip test: how often chance alone makes a drop at least as large. */
  readonly pValue: number;
  /** Two-sided exact McNemar test on the tasks that changed sides. */
  readonly mcnemarP: number;
  /** `fail`: a real regression. `inconclusive`: too few tasks differ to tell. */
  readonly verdict: ReportVerdict;
  readonly tolerance: number;
  readonly tasks: { readonly paired: number; readonly differing: number; readonly unpaired: number };
  /** What a drop must be at least to be found four times out of five; absent when this suite could not show any. */
  readonly smallestDetectableDrop?: number;
  readonly toFail: readonly TaskId[];
  readonly toPass: readonly TaskId[];
  /** Tasks whose score moved, the largest drop first. */
  readonly changes: readonly ChangedTask[];
  /** How many further changes are not listed. */
  readonly moreChanges?: number;
  readonly cost?: { readonly beforeUsd: number; readonly afterUsd: number };
  readonly latency?: {
    readonly before: { readonly p50Ms: number; readonly p95Ms: number };
    readonly after: { readonly p50Ms: number; readonly p95Ms: number };
  };
  /** The judges differ, and the caller wanted to compare all the same. */
  readonly otherJudge?: true;
};
export type ChangedTask = { readonly taskId: TaskId; readonly before: number; readonly after: number };

export type ReportedSlice = {
  readonly name: SliceName;
  readonly tasks: number;
  readonly score: number;
  readonly passRate: number;
  readonly passRateInterval: Interval;
  /** Against the baseline, over the tasks that both runs could score. */
  readonly scoreDelta?: number;
  readonly exploratory: true;
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
