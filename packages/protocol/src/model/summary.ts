import type { RunId, SuiteId, TaskId, Version } from './ids.js';
import type { ModelClass } from './modes.js';
import type { Finding } from './score.js';

export type TaskScore = {
  readonly taskId: TaskId;
  readonly score: number;
  readonly passed: boolean;
  readonly costUsd?: number;
  readonly latencyMs?: number;
  readonly schemaValid?: boolean;
  readonly safetyFindings?: readonly Finding[];
};

/** The terminal scorecard on the wire. Closed: whatever it cannot hold belongs to the report. */
export type EvalSummary = {
  readonly suiteId: SuiteId;
  readonly suiteVersion: Version;
  readonly evaluatedModelClass?: ModelClass;
  readonly aggregateScore: number;
  readonly passed: boolean;
  readonly taskCount: number;
  readonly passedCount: number;
  readonly totalCostUsd?: number;
  readonly tasks: readonly TaskScore[];
  readonly regression?: {
    readonly baselineRunId: RunId;
    readonly scoreDelta: number;
    readonly diffRef?: string;
  };
};
