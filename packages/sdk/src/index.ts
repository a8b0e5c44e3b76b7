export type {
  AgentVersion,
  AuditVerdict,
  BulkCancelResult,
  CompareRuns,
  CompiledProfile,
  CompileProfile,
  CreatedRun,
  ForkedRun,
  ForkRun,
  InstalledPack,
  InstalledSuite,
  InterruptQuestion,
  InterruptToken,
  JudgeAgreement,
  JudgeAgreements,
  KeyEntry,
  NewInterruptToken,
  NewWebhook,
  PackListing,
  Page,
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
  TaskBodies,
  TaskFacets,
  TaskList,
  TaskListing,
  TaskView,
  TenantUsage,
  ToolCallView,
  Webhook,
} from '@touchstone/protocol';
export type { Annotation, NewAnnotation, Signal } from './annotation-types.js';
export type { PageQuery, Reading, Sending } from './calls.js';
export { type Client, type ClientOptions, createClient, createClientOver } from './client.js';
export { HostResponseError, HostUnreachable, RunFailed } from './errors.js';
export type { RetryOptions } from './retry.js';
export type { AgreementQuery, LabelQuery, ReviewQuery } from './review-calls.js';
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
export {
  bodiesOf,
  type CollectOptions,
  collectRun,
  percentile,
  readResults,
  sentenceOf,
} from './view/collect-run.js';
export type {
  CriterionBody,
  Failure,
  FailureBodies,
  FindingCount,
  JudgeFacts,
  RunView,
} from './view/run-view.js';
export type { WaitOptions } from './wait.js';
