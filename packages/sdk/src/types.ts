import type {
  AgentId,
  Digest,
  EvalCompleted,
  EvalMode,
  EvalScored,
  EvalStarted,
  InvocationOutcome,
  Json,
  JsonObject,
  ModelClass,
  RunId,
  RunStatus,
  SuiteId,
  TaskId,
  TaskResult,
  Thresholds,
  ToolId,
  UnscoredReason,
  Version,
} from '@touchstone/protocol';
import type { RunFacts } from './run-facts.js';

/** Body of `POST /v1/runs`. */
export type CreateRun = {
  readonly mode?: 'eval';
  readonly evalSuiteRef?: string;
  readonly agentId?: string;
  readonly workflowId?: string;
  readonly inputs?: JsonObject;
  readonly configurable?: JsonObject;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly scopeId?: string;
  readonly callbackUrl?: string;
};
export type CreatedRun = {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly eventsUrl: string;
  readonly statusUrl?: string;
};

export type RunSnapshot = {
  readonly runId: RunId;
  readonly workflowId: string;
  readonly status: RunStatus;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: JsonObject };
  readonly configurable?: JsonObject;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  /** Facts that a Touchstone host adds; another kind of host has none. */
  readonly touchstone?: RunFacts;
  readonly [key: string]: unknown;
};

export type RunFilter = {
  readonly agentId?: string;
  readonly suiteId?: string;
  readonly status?: RunStatus;
  readonly limit?: number;
  readonly cursor?: string;
};
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor?: string };

export type RunAnswer = { readonly runId: RunId; readonly status: RunStatus };
export type BulkCancelResult = {
  readonly runId: RunId;
  readonly ok: boolean;
  readonly status?: RunStatus;
  readonly error?: string;
};

/** What a report holds a run against, when it is not the run's own baseline. */
export type ReportQuestion = { readonly against?: RunId; readonly allowJudgeMismatch?: boolean };

/** An event as the host sends it. Unknown types and members are possible: a newer host may say more. */
export type RunEvent = {
  readonly eventId: string;
  readonly runId: RunId;
  readonly type: string;
  readonly payload: { readonly [key: string]: unknown };
  readonly timestamp: string;
  readonly sequence: number;
  readonly nodeId?: string;
  readonly causationId?: string;
};
type KnownPayloads = {
  'eval.started': EvalStarted;
  'eval.scored': EvalScored;
  'eval.completed': EvalCompleted;
  'run.failed': { readonly error: { readonly code: string; readonly message: string } };
};
/** Narrows the payload: `if (isEvent(event, 'eval.scored')) event.payload.score`. */
export const isEvent = <T extends keyof KnownPayloads>(
  event: RunEvent,
  type: T,
): event is RunEvent & { readonly type: T; readonly payload: KnownPayloads[T] } => event.type === type;

export type PolledEvents = { readonly events: readonly RunEvent[]; readonly isComplete: boolean };

export type InstalledSuite = {
  readonly suiteRef: string;
  readonly suiteId: SuiteId;
  readonly version: Version;
  readonly digest: Digest;
};
export type SuiteListing = {
  readonly suiteId: SuiteId;
  readonly version: Version;
  readonly digest: Digest;
  readonly modes: readonly EvalMode[];
  readonly taskCount: number;
  readonly targetAgentId?: AgentId;
  readonly allowedModels?: readonly ModelClass[];
  readonly thresholds?: Thresholds;
};

/** Body of `POST …/profiles:compile`. */
export type CompileProfile = {
  /** An agent definition that carries an evaluation profile. */
  readonly definition: JsonObject;
  /** Rows, instead of the dataset that the profile names. */
  readonly rows?: readonly Json[];
  /** Which agent of a manifest; needed when several have a profile. */
  readonly agent?: string;
  /** The agent's id on the host, when it is another than in the definition. */
  readonly targetAgentId?: string;
  /** The parts of the suite id, where the author and the name of the agent are not to make them. */
  readonly scope?: string;
  readonly org?: string;
  readonly suiteName?: string;
  /** Also install the suite with its contract. */
  readonly install?: boolean;
};
export type CompiledProfile = {
  readonly suite: JsonObject;
  readonly contract: JsonObject;
  /** Of the contract. */
  readonly digest: Digest;
  readonly warnings: readonly {
    readonly code: string;
    readonly message: string;
    readonly pointer?: string;
    readonly line?: number;
  }[];
  /** When it was installed: what to name in `evalSuiteRef`. */
  readonly suiteRef?: string;
};

/** A pack without what is in it. */
export type PackListing = {
  readonly name: string;
  readonly version: Version;
  /** SHA-256 of the archive, as `sha256-<base64>`. */
  readonly integrity: string;
  readonly digest: Digest;
  /** The trusted key that signed it; absent when none did. */
  readonly signedBy?: string;
  readonly filesSigned: boolean;
  /** Its agents, each with the suite it brings. */
  readonly agents: readonly { readonly agentId: AgentId; readonly suiteRef?: string }[];
};
export type InstalledPack = Omit<PackListing, 'agents'> & {
  readonly agents: readonly {
    readonly agentId: AgentId;
    readonly version: Version;
    readonly digest: Digest;
    readonly suiteRef?: string;
  }[];
  readonly suites: readonly InstalledSuite[];
  readonly warnings: readonly string[];
};
/** What the sender says about an archive; the host refuses one that is something else. */
export type PackClaim = { readonly name: string; readonly version: string; readonly integrity?: string };

/** A tool of the host's catalogue. A newer host may say more about it. */
export type ToolEntry = {
  readonly toolId: ToolId;
  readonly source: string;
  readonly safetyTier: 'pure' | 'read' | 'write' | 'exec';
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly [member: string]: unknown;
};

export type AgentEntry = {
  readonly agentId: AgentId;
  readonly persona: string;
  readonly label: string;
  readonly description?: string;
  readonly modelClass: string;
  readonly packName: string;
  readonly packVersion: string;
  readonly toolAllowlist: readonly ToolId[];
  readonly hasHandoffSchemas: boolean;
  /** What it declares to need and this host does not offer. */
  readonly degraded?: readonly string[];
};
export type AgentInventory = { readonly agents: readonly AgentEntry[]; readonly total: number };

/** One task with its bodies. */
export type TaskView = {
  readonly taskId: TaskId;
  readonly score: number;
  readonly passed: boolean;
  /** Why there is no score; the 0 above then says nothing about the answer. */
  readonly unscored?: UnscoredReason;
  readonly expected: JsonObject;
  readonly invocations: readonly {
    readonly invocationId: string;
    readonly input: Json;
    readonly output?: Json;
    readonly outcome: InvocationOutcome;
    readonly reason?: string;
    readonly attempts?: number;
    readonly toolCalls: readonly JsonObject[];
    /** Long-term memory that it read. */
    readonly memory?: readonly JsonObject[];
    readonly criteria?: readonly JsonObject[];
  }[];
};

/** A live picture of a run: how many of its tasks are done, and how they went. */
export type RunProgress = {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly passed: number;
  readonly failed: number;
  /** Neither passed nor failed; absent while every task could be scored. */
  readonly unscored?: number;
  readonly costUsd?: number;
  readonly etaMs?: number;
};

/** One message of the live feed: the counters, one finished task in completion order, or how many a slow reader lost. */
export type ProgressMessage =
  | { readonly event: 'progress'; readonly data: RunProgress }
  | {
      readonly event: 'task';
      readonly data: Pick<EvalScored, 'taskId' | 'score' | 'passed' | 'latencyMs'> & {
        readonly unscored?: UnscoredReason;
      };
    }
  | { readonly event: 'missed'; readonly data: { readonly tasks: number } };

/** The result of one task, with the place of the task in the suite, counted from 0. */
export type StepResult = { readonly ordinal: number; readonly result: TaskResult };

/** A run of a suite. */
export type EvalRunSnapshot = RunSnapshot & {
  readonly touchstone: RunFacts & Required<Pick<RunFacts, 'suite' | 'agent' | 'modes' | 'repeats' | 'tasks'>>;
};

export const isEvalRun = (run: RunSnapshot): run is EvalRunSnapshot => run.touchstone?.kind === 'eval';
