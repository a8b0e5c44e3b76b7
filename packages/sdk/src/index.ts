export type {
  AgentVersion,
  AuditVerdict,
  BoardAgent,
  BoardChannel,
  BoardVersion,
  BulkCancelResult,
  CompareRuns,
  CompiledProfile,
  CompileProfile,
  CreatedRun,
  ForkedRun,
  ForkRun,
  GateReview,
  HostCounts,
  InstalledPack,
  InstalledSuite,
  InterruptQuestion,
  InterruptToken,
  JudgeAgreement,
  JudgeAgreements,
  KeyEntry,
  Look,
  LookAtRuns,
  LooksReport,
  Matrix,
  MatrixCell,
  MatrixRow,
  MatrixRun,
  MoveReview,
  NewInterruptToken,
  NewWebhook,
  PackListing,
  Page,
  PendingMove,
  PrunedRuns,
  PruneRuns,
  RegisteredWebhook,
  RejudgeRun,
  RemovedPack,
  ResolvedInterrupt,
  ReviewItem,
  ReviewList,
  RevokedPack,
  RunAnswer,
  RunArtifact,
  SuiteListing,
  SuiteTaskList,
  SuiteTaskListing,
  SuiteTaskView,
  TaskBodies,
  TaskFacets,
  TaskList,
  TaskListing,
  TaskView,
  TenantUsage,
  ToolCallView,
  Webhook,
  WorkerEntry,
} from '@touchstone/protocol';
export type { Annotation, NewAnnotation, Signal } from './annotation-types.js';
export type { PageQuery, Reading, Sending } from './calls/calls.js';
export type { ReviewedMove } from './calls/deployment-calls.js';
export type { MatrixQuery, MatrixSubject, SuiteTaskQuery } from './calls/matrix-calls.js';
export type { AgreementQuery, LabelQuery, ReviewQuery } from './calls/review-calls.js';
export { type Client, type ClientOptions, createClient, createClientOver } from './client.js';
export { HostResponseError, HostUnreachable, RunFailed } from './errors.js';
export type { RetryOptions } from './retry.js';
export type { RunFacts } from './run-facts.js';
export { createSseParser, type SseMessage, type SseParser } from './sse.js';
export type { StreamOptions } from './stream.js';
export type { Fetch, Transport, TransportCall } from './transport.js';
export {
  type AgentEntry,
  type AgentInventory,
  type AuditEntry,
  type CreateRun,
  type DebugBundle,
  type Deployment,
  type EvalRunSnapshot,
  isEvalRun,
  isEvent,
  type PackClaim,
  type PackInstallation,
  type PauseRun,
  type PolledEvents,
  type PollOptions,
  type ProgressMessage,
  type ReportQuestion,
  type RunDiff,
  type RunEvent,
  type RunFilter,
  type RunProgress,
  type RunSnapshot,
  type StepResult,
  type TaskFilter,
  type TaskListQuery,
  type ToolEntry,
  type TransitionDeployment,
  type TransitionedDeployment,
} from './types.js';
export { type CollectOptions, collectRun } from './view/collect/collect-run.js';
export { bodiesOf, sentenceOf } from './view/collect/failure-bodies.js';
export { percentile } from './view/collect/fold-results.js';
export { readResults } from './view/collect/read-results.js';
export type {
  CriterionBody,
  Failure,
  FailureBodies,
  FindingCount,
  JudgeFacts,
  RunView,
} from './view/run-view.js';
export type { WaitOptions } from './wait.js';
