export { type Client, type ClientOptions, createClient, createClientOver } from './client.js';
export type {
  AgentVersion,
  AuditEntry,
  AuditVerdict,
  Deployment,
  InterruptQuestion,
  InterruptToken,
  NewInterruptToken,
  ResolvedInterrupt,
  TransitionDeployment,
  TransitionedDeployment,
} from './deployment-types.js';
export { HostResponseError, HostUnreachable, RunFailed } from './errors.js';
export type {
  Annotation,
  DebugBundle,
  ForkedRun,
  ForkRun,
  NewAnnotation,
  NewWebhook,
  RegisteredWebhook,
  RunDiff,
  Signal,
  Webhook,
} from './remark-types.js';
export type { RetryOptions } from './retry.js';
export type { RunFacts } from './run-facts.js';
export { createSseParser, type SseMessage, type SseParser } from './sse.js';
export type { StreamOptions } from './stream.js';
export type { Fetch, Transport, TransportCall } from './transport.js';
export {
  type AgentEntry,
  type AgentInventory,
  type BulkCancelResult,
  type CompiledProfile,
  type CompileProfile,
  type CreatedRun,
  type CreateRun,
  type EvalRunSnapshot,
  type InstalledPack,
  type InstalledSuite,
  isEvalRun,
  isEvent,
  type PackClaim,
  type PackListing,
  type Page,
  type PolledEvents,
  type ProgressMessage,
  type ReportQuestion,
  type RunAnswer,
  type RunEvent,
  type RunFilter,
  type RunProgress,
  type RunSnapshot,
  type StepResult,
  type SuiteListing,
  type TaskView,
  type ToolEntry,
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
