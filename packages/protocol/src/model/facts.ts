// Payloads of the content-free events. They name ids, numbers and flags; none of them can name a Body.

import type { EvalSummary } from '../wire/openwop/eval-summary.js';
import type { AgentId, EventId, InvocationId, ModelName, RunId, SuiteId, TaskId, Version } from './ids.js';
import type { EvalMode, ModelClass } from './modes.js';
import type { InvocationOutcome, TaskResult } from './score.js';

export type EvalStarted = {
  readonly suiteId: SuiteId;
  readonly suiteVersion: Version;
  readonly taskCount: number;
  readonly modes: readonly EvalMode[];
  readonly baselineRunId?: RunId;
};

export type EvalScored = {
  readonly taskId: TaskId;
  readonly score: number;
  readonly passed: boolean;
  readonly costUsd?: number;
  readonly latencyMs?: number;
  readonly schemaValid?: boolean;
  readonly safetyFindingCount?: number;
};

export type EvalCompleted = {
  readonly aggregateScore: number;
  readonly passed: boolean;
  readonly taskCount: number;
  readonly passedCount: number;
  readonly regressionVsBaseline?: number;
};

export type InvocationStarted = {
  readonly invocationId: InvocationId;
  readonly agentId: AgentId;
  readonly source: 'run-api';
  readonly modelClass?: ModelClass;
  readonly resolvedModel?: ModelName;
  readonly resolvedProvider?: ModelName;
  readonly resolvedAgentVersion?: Version;
  readonly resolvedChannel?: string;
  readonly toolSurfaceCount?: number;
  readonly memoryBound?: boolean;
};

export type InvocationCompleted = {
  readonly invocationId: InvocationId;
  readonly agentId: AgentId;
  readonly outcome: InvocationOutcome;
  readonly schemaValidated?: boolean;
  readonly confidence?: number;
};

/** One model call. `costEstimateUsd` is absent when the price is unknown, never 0. */
export type ProviderUsage = {
  readonly provider: ModelName;
  readonly model: ModelName;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens?: number;
  readonly costEstimateUsd?: number;
  readonly currency?: 'USD';
  readonly cacheHit?: boolean;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly nodeId?: TaskId;
};

export type CapBreached = {
  readonly kind: 'run-duration' | 'budget-cost';
  readonly limit: number;
  readonly observed: number;
};

/** Folding a recorded history again gave something else than it holds. What is recorded stands; this says where. */
export type ReplayDiverged = {
  readonly sourceRunId: RunId;
  readonly atSequence: number;
  readonly originalEventId: EventId;
  readonly divergenceKind: 'output';
};

/** The `eval.scored` payload of a task, from its result. Read by the log when it expands a task, so it is stored once. */
export function evalScored(result: TaskResult): EvalScored {
  return {
    taskId: result.taskId,
    score: result.score,
    passed: result.passed,
    ...(result.costUsd !== undefined && { costUsd: result.costUsd }),
    ...(result.latencyMs !== undefined && { latencyMs: result.latencyMs }),
    ...(result.schemaValid !== undefined && { schemaValid: result.schemaValid }),
    ...(result.findings && result.findings.length > 0 && { safetyFindingCount: result.findings.length }),
  };
}

export const evalCompleted = (summary: EvalSummary): EvalCompleted => ({
  aggregateScore: summary.aggregateScore,
  passed: summary.passed,
  taskCount: summary.taskCount,
  passedCount: summary.passedCount,
  ...(summary.regression && { regressionVsBaseline: summary.regression.scoreDelta }),
});
