export { type Client, type ClientOptions, createClient } from './client.js';
export type {
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
export { createSseParser, type SseMessage, type SseParser } from './sse.js';
export type { StreamOptions } from './stream.js';
export type { Fetch } from './transport.js';
export {
  type AgentEntry,
  type AgentInventory,
  type BulkCancelResult,
  type CompiledProfile,
  type CompileProfile,
  type CreatedRun,
  type CreateRun,
  type InstalledPack,
  type InstalledSuite,
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
  type SuiteListing,
  type TaskView,
  type ToolEntry,
} from './types.js';
