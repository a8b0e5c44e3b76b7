export type {
  Agent,
  AgentFacts,
  AgentHost,
  AgentKind,
  Answer,
  Invocation,
  MemoryShape,
  OfferedTool,
  ResolvedPrompt,
} from './agent.js';
export { MAX_TURNS } from './agent.js';
export type { Clock } from './clock.js';
export type { Embedder, EmbeddingResult } from './embedder.js';
export type { Engine, FinishedTask, Progress, ProgressListener } from './engine.js';
export type { Ids } from './ids.js';
export type { Interrupt, InterruptAnswer, Interrupts } from './interrupts.js';
export type {
  AskModel,
  CriterionVerdict,
  Judge,
  JudgeAnswer,
  JudgedCriterion,
  JudgeQuestion,
  Spend,
} from './judge.js';
export type { Log } from './log.js';
export type { MaybePromise } from './maybe-promise.js';
export type { Random } from './random.js';
export type { SchemaCheck } from './schema-check.js';
export type { SafetyTier, ScoredCall, Scoring, ScoringResult, Transcript } from './scorer.js';
export type { Annotation, Annotations, Override, Signal } from './store/annotations.js';
export type { Audit } from './store/audit.js';
export type { Baselines, Blessing } from './store/baselines.js';
export type { BoundAgent, BoundAgents } from './store/bound-agents.js';
export { type Deployments, DeploymentsMoved } from './store/deployments.js';
export type { Claim, Idempotency, IdempotencyKey, KeptResponse } from './store/idempotency.js';
export type { Keys, StoredKey } from './store/keys.js';
export type { Lease, Leases } from './store/leases.js';
export type { Ledger } from './store/ledger.js';
export { MEMORY_TOOL, type Memory } from './store/memory.js';
export type { PackContents, PackHead, Packs } from './store/packs.js';
export type { Page } from './store/page.js';
export { eventCountOf, type LogEntry, type TaskRecord } from './store/record.js';
export type { Responses } from './store/responses.js';
export type {
  Append,
  AppendNotice,
  Commit,
  RunChange,
  RunLog,
  SealedUnit,
  Slice,
  StepResult,
  StoredEntry,
} from './store/run-log.js';
export { ControlPending, LeaseLost, RunEnded } from './store/run-log.js';
export type {
  Control,
  NewRun,
  Run,
  RunFilter,
  RunOrigin,
  RunRequest,
  Runs,
} from './store/runs.js';
export type { RetainedNames, Store } from './store/store.js';
export type { Suite, SuiteHead, Suites } from './store/suite-store.js';
export type { Webhook, Webhooks } from './store/webhooks.js';
export type { Tools } from './tools.js';
export type { PriceOf, Usage } from './usage.js';
