export type { AccessRefusal } from './access.js';
export {
  type Agent,
  AgentChanged,
  type AgentFacts,
  type AgentHost,
  type AgentKind,
  type Answer,
  type Invocation,
  type LiveResult,
  MAX_TURNS,
  type OfferedTool,
  type ResolvedPrompt,
  type SafetyTier,
  type Tools,
  type Turn,
  Withdrawn,
} from './agent.js';
export {
  type Checker,
  CheckOverLimit,
  type CheckWork,
  checkAtOnce,
  type ForeignSchemas,
  type SchemaFit,
} from './checker.js';
export type { Scorer, ScorerAnswer } from './code-scorer.js';
export {
  type Engine,
  type FinishedTask,
  finishedTask,
  type Progress,
  type ProgressListener,
} from './engine.js';
export type { Interrupt, InterruptAnswer, Interrupts } from './interrupts.js';
export type {
  AskModel,
  CriterionVerdict,
  Embedder,
  EmbeddingResult,
  Judge,
  JudgeAnswer,
  JudgedCriterion,
  JudgeQuestion,
  Spend,
} from './judge.js';
export type { RequestOrigin } from './request-origin.js';
export type { ScoredCall } from './scored-call.js';
export type { Scoring, ScoringResult, Transcript } from './scorer.js';
export type { LeaveSlot, Slots } from './slots.js';
export type { Amounts, CountedThing } from './store/amounts.js';
export type { Annotation, Annotations, LabelFilter, Override, Signal } from './store/annotations.js';
export type { Baselines, Blessing } from './store/baselines.js';
export {
  type Audit,
  type AuditQuery,
  type Deployments,
  DeploymentsMoved,
  type KeptCheckpoint,
} from './store/deployments.js';
export type {
  Claim,
  ClaimRequest,
  CreationId,
  Idempotency,
  IdempotencyKey,
  KeptResponse,
} from './store/idempotency.js';
export type { Calibrations, Judges, StoredJudge } from './store/judges.js';
export type { Keys, StoredKey } from './store/keys.js';
export type { Lease, Leases, Ledger } from './store/leases.js';
export { MEMORY_TOOL, type Memory, type Responses } from './store/memory.js';
export type { Outcomes, RunOutcomes } from './store/outcomes.js';
export type { BucketLimits, PaceFacts, Paces, Portion } from './store/paces.js';
export type {
  BoundAgent,
  BoundAgents,
  PackContents,
  PackHead,
  PackRemoval,
  Packs,
  Withdrawal,
} from './store/packs.js';
export type { EvidenceRun, OwnerUsage, Retention } from './store/retention.js';
export {
  type Append,
  type AppendNotice,
  type Commit,
  ControlPending,
  eventCountOf,
  LeaseLost,
  type LogEntry,
  PAGE_BYTES,
  type RunChange,
  RunEnded,
  type RunLog,
  type SealedUnit,
  type Slice,
  type StepResult,
  type StoredEntry,
  type TaskRecord,
} from './store/run-log.js';
export {
  type Control,
  DEPLOYMENT_WORKFLOW,
  type NewRun,
  type Page,
  type Run,
  type RunFilter,
  type RunHead,
  type RunOrigin,
  type RunRequest,
  type Runs,
} from './store/runs.js';
export type { Sessions, StoredSession } from './store/sessions.js';
export type { RetainedNames, Store } from './store/store.js';
export type { Suite, SuiteHead, SuiteNeeds, SuiteSignature, Suites } from './store/suite-store.js';
export type { Webhook, Webhooks } from './store/webhooks.js';
export {
  type Assignment,
  type AssignmentAnswer,
  type AssignmentHolder,
  type AssignmentList,
  type Assignments,
  type AssignmentWrite,
  type OpenClaim,
  type OpenWork,
  type OrdinalRange,
  SILENT_MS,
  type UnitRange,
  type Work,
  WorkEnded,
  type WorkPlan,
  type WorkStop,
} from './store/work.js';
export type { Worker, WorkerRow, Workers } from './store/workers.js';
export {
  after,
  type Clock,
  type Ids,
  type Log,
  type MaybePromise,
  type Random,
  type SchemaCheck,
} from './system.js';
export { type PieceKind, type ThreadShares, threadMs, UNSHARED } from './thread-shares.js';
export type { CallTime, PriceOf, Usage } from './usage.js';
