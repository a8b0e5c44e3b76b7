// Payloads of the content-free events. They name ids, numbers and flags; none of them can name a Body.

import type { SummaryTotals, TaskScore } from '../wire/openwop/eval-summary.js';
import type { AgentId, EventId, InvocationId, ModelName, RunId, SuiteId, TaskId, Version } from './ids.js';
import type { EvalMode, ModelClass } from './modes.js';
import type { InvocationOutcome, TaskResult } from './score.js';

/** `eval.started`: the suite is bound and its tasks are selected. */
export type EvalStarted = {
  /** The suite that runs. */
  readonly suiteId: SuiteId;
  /** Its version. */
  readonly suiteVersion: Version;
  /** Tasks that were selected to run. */
  readonly taskCount: number;
  /** How the run is done. */
  readonly modes: readonly EvalMode[];
  /** The run that a regression is measured against; absent when there is none. */
  readonly baselineRunId?: RunId;
};

/** `eval.scored`: one task has its result. Exactly one of these per selected task. */
export type EvalScored = {
  /** The task in its suite. */
  readonly taskId: TaskId;
  /** From 0 to 1, over all repeats; 0 when there is no score. */
  readonly score: number;
  /** Whether the score reached the task's threshold. */
  readonly passed: boolean;
  /** Known cost of the task, in US dollars; absent when nothing is known. */
  readonly costUsd?: number;
  /** The slowest repeat, in milliseconds. */
  readonly latencyMs?: number;
  /** Whether every answer fits the agent's return schema; absent when it has none. */
  readonly schemaValid?: boolean;
  /** How many kinds of finding there are; absent when there is none. */
  readonly safetyFindingCount?: number;
};

/** `eval.completed`: every selected task is scored. Comes before `run.completed`. */
export type EvalCompleted = {
  /** The mean of the task scores, from 0 to 1. */
  readonly aggregateScore: number;
  /** Whether the thresholds of the suite are met. */
  readonly passed: boolean;
  /** Tasks that ran. */
  readonly taskCount: number;
  /** Those of them that passed. */
  readonly passedCount: number;
  /** This mean score minus the baseline's; absent without a baseline. Negative is worse. */
  readonly regressionVsBaseline?: number;
};

/** `agent.invocation.started`: the agent is about to be given a task's input. */
export type InvocationStarted = {
  /** Ties together the events of one invocation. */
  readonly invocationId: InvocationId;
  /** The agent that is invoked. */
  readonly agentId: AgentId;
  /** Who asked for the invocation: always a run of this API. */
  readonly source: 'run-api';
  /** The class of model that the agent declares; absent when it declares none. */
  readonly modelClass?: ModelClass;
  /** The model that the host asks for it; absent when the agent brings its own. */
  readonly resolvedModel?: ModelName;
  /** The provider that serves that model. */
  readonly resolvedProvider?: ModelName;
  /** The version that the request led to. */
  readonly resolvedAgentVersion?: Version;
  /** The channel that led to it; absent when none did. */
  readonly resolvedChannel?: string;
  /** How many tools the agent is offered. */
  readonly toolSurfaceCount?: number;
  /** Whether the agent has long-term memory in this invocation. */
  readonly memoryBound?: boolean;
};

/** `agent.invocation.completed`: the agent is done, in one way or another. */
export type InvocationCompleted = {
  /** As in the event it began with. */
  readonly invocationId: InvocationId;
  /** The agent that was invoked. */
  readonly agentId: AgentId;
  /** How it ended. */
  readonly outcome: InvocationOutcome;
  /** Whether the answer fits the agent's return schema; absent when it has none. */
  readonly schemaValidated?: boolean;
  /** How sure the agent says it is, from 0 to 1; absent when it does not say. */
  readonly confidence?: number;
};

/** One model call. `costEstimateUsd` is absent when the price is unknown, never 0. */
export type ProviderUsage = {
  /** The configured provider that served the call. */
  readonly provider: ModelName;
  /** The model that answered. */
  readonly model: ModelName;
  /** Tokens read. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
  /** Input and output tokens together. */
  readonly totalTokens?: number;
  /** By the configured or listed prices, in US dollars. */
  readonly costEstimateUsd?: number;
  /** Present with a cost. */
  readonly currency?: 'USD';
  /** Whether the answer came from the response cache and cost nothing now. */
  readonly cacheHit?: boolean;
  /** Input tokens that came from the provider's own cache. */
  readonly cacheReadTokens?: number;
  /** Input tokens that were put into the provider's own cache. */
  readonly cacheWriteTokens?: number;
  /** The task it was made for. */
  readonly nodeId?: TaskId;
};

/** `cap.breached`: a limit of the run was reached, and the run ends because of it. */
export type CapBreached = {
  /** Which limit. */
  readonly kind: 'run-duration' | 'budget-cost';
  /** The limit, in milliseconds or US dollars. */
  readonly limit: number;
  /** What was reached, in the same unit. */
  readonly observed: number;
};

/** Folding a recorded history again gave something else than it holds. What is recorded stands; this says where. */
export type ReplayDiverged = {
  /** The run whose history was read again. */
  readonly sourceRunId: RunId;
  /** The first event that came out differently. */
  readonly atSequence: number;
  /** That event in the source run. */
  readonly originalEventId: EventId;
  /** What differs: always what the event holds. */
  readonly divergenceKind: 'output';
};

/** What event and summary say of a task alike. */
const measured = ({ taskId, score, passed, costUsd, latencyMs, schemaValid }: TaskResult) => ({
  taskId,
  score,
  passed,
  ...(costUsd !== undefined && { costUsd }),
  ...(latencyMs !== undefined && { latencyMs }),
  ...(schemaValid !== undefined && { schemaValid }),
});

/** The `eval.scored` payload of a task, from its result. Read by the log when it expands a task, so it is stored once. */
export const evalScored = (result: TaskResult): EvalScored => ({
  ...measured(result),
  ...(result.findings && { safetyFindingCount: result.findings.length }),
});

/** What the summary of a run lists of a task, from its result. Read where the list is asked for, so it is stored once. */
export const taskScore = (result: TaskResult): TaskScore => ({
  ...measured(result),
  ...(result.findings && { safetyFindings: result.findings }),
});

/** The `eval.completed` payload of a run, from its summary. */
export const evalCompleted = (summary: SummaryTotals): EvalCompleted => ({
  aggregateScore: summary.aggregateScore,
  passed: summary.passed,
  taskCount: summary.taskCount,
  passedCount: summary.passedCount,
  ...(summary.regression && { regressionVsBaseline: summary.regression.scoreDelta }),
});
