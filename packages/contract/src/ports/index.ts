export type {
  Agent,
  AgentFacts,
  AgentHost,
  AgentKind,
  Answer,
  Effort,
  Invocation,
  MemoryShape,
  OfferedTool,
  ResolvedPrompt,
} from './agent.js';
export { MAX_TURNS } from './agent.js';
export type { Annotation, Annotations, Override, Signal } from './annotations.js';
export type { Audit } from './audit.js';
export type { Baselines, Blessing } from './baselines.js';
export type { BoundAgent, BoundAgents } from './bound-agents.js';
export type { Clock } from './clock.js';
export { type Deployments, DeploymentsMoved } from './deployments.js';
export type { Embedded, Embedder } from './embedder.js';
export type { Engine, FinishedTask, Progress, ProgressListener } from './engine.js';
export type { Claim, Idempotency, IdempotencyKey, KeptResponse } from './idempotency.js';
export type { Ids } from './ids.js';
export type { Interrupt, Interrupts } from './interrupts.js';
export type {
  AskModel,
  Judge,
  Judged,
  JudgedCriterion,
  JudgeQuestion,
  Spend,
  Verdict,
} from './judge.js';
export type { Keys, StoredKey } from './keys.js';
export type { Lease, Leases } from './leases.js';
export type { Ledger } from './ledger.js';
export type { Fact, Log, LogName } from './log.js';
export { MEMORY_TOOL, type Memory } from './memory.js';
export type { PackContents, PackHead, Packs } from './packs.js';
export type { Page } from './page.js';
export type { Random } from './random.js';
export type { LogEntry, TaskRecord } from './record.js';
export type { Responses } from './responses.js';
export type { Appended, Commit, RunLog, SealedStep, StepResult, StoredEntry } from './run-log.js';
export { ControlPending, LeaseLost } from './run-log.js';
export type { Control, NewRun, Run, RunFilter, RunHeadline, RunOrigin, RunRequest, Runs } from './runs.js';
export type { SchemaCheck } from './schema-check.js';
export type { SafetyTier, Scored, ScoredCall, Scoring, Transcript } from './scorer.js';
export type { Kept, Store } from './store.js';
export type { Suite, SuiteHead, Suites } from './suite-store.js';
export type { Tools } from './tools.js';
export type { PriceOf, Usage } from './usage.js';
export type { Webhook, Webhooks } from './webhooks.js';
