import type {
  AgentId,
  Digest,
  InvocationId,
  JsonObject,
  ModelClass,
  ModelPin,
  Owner,
  RunId,
  TaskId,
  ToolId,
  Version,
} from '@touchstone/protocol';
import type { Body, MemoryEntry, Payloads, ToolResult } from '@touchstone/protocol/bodies';
import type { AccessRefusal } from './access.js';
import type { ScoredCall } from './scored-call.js';
import type { Usage } from './usage.js';

/** What is known about an agent without running it. */
export type AgentFacts = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly digest: Digest;
  readonly kind: AgentKind;
  /** The digest may not cover all files of its program. */
  readonly filesNotFollowed?: true;
  readonly persona: string;
  readonly label?: string;
  readonly description?: string;
  readonly modelClass?: ModelClass;
  readonly toolAllowlist: readonly ToolId[];
  readonly taskSchema?: JsonObject;
  readonly returnSchema?: JsonObject;
  /** Below this confidence an answer counts as escalated. */
  readonly confidenceThreshold?: number;
  readonly memoryShape?: MemoryShape;
  /** The pack that brought it; absent for agents of the configuration and of tenants. */
  readonly pack?: { readonly name: string; readonly version: Version };
  /** Of an agent that is asked by a template, a mapped service or a model with a prompt: what the template names. */
  readonly templateNames?: readonly string[];
  /** Of a conversation: how long it may be, and whether a model can play the user. */
  readonly conversation?: { readonly maxTurns: number; readonly hasUser: boolean };
  /** Of a conversation: the agent that it is with. */
  readonly wraps?: AgentFacts;
  /** What it declares to need and this host does not offer. */
  readonly degraded?: readonly string[];
};

export type AgentKind =
  | 'manifest'
  | 'module'
  | 'function'
  | 'command'
  | 'python'
  | 'http'
  | 'openai'
  | 'openwop'
  | 'scripted'
  | 'recorded'
  | 'conversation';

/** Which kinds of memory an agent uses. Only long-term memory is kept here. */
export type MemoryShape = {
  readonly scratchpad?: boolean;
  readonly conversation?: boolean;
  readonly longTerm?: boolean;
};

/** The side effects a tool may have. */
export type SafetyTier = 'pure' | 'read' | 'write' | 'exec';

/** A tool that an agent may call, as it is described to the agent. */
export type OfferedTool = {
  /** The tool's id, as `<scope>:<tool>`. */
  readonly toolId: ToolId;
  /** What the tool does, in words for a model; absent when nothing is said. */
  readonly description?: string;
  /** JSON Schema of its inputs; any object when absent. */
  readonly inputSchema?: JsonObject;
};

/** One task's call of the agent. Nothing in it says that it is an evaluation. */
export type Invocation = {
  readonly runId: RunId;
  readonly invocationId: InvocationId;
  readonly agentId: AgentId;
  /** Which repeat of its task this is. Two repeats are two questions, also to a cache. */
  readonly repeat: number;
  readonly input: Body;
  readonly memory: readonly MemoryEntry[];
  readonly tools: readonly OfferedTool[];
};

/**
 * Of an invocation that belongs to a line: as many of its line as `most` says may be at work at a time, in the order in which they were
 * handed over. The others wait with the agent, so that the next one begins the moment an earlier one ends.
 */
export type Turn = {
  /** The line, by its identity. */
  readonly line: object;
  /** What holds from now on for the whole line. */
  readonly most: number;
  /** Aborts when those that still wait are not to begin. They are rejected with `Withdrawn`. */
  readonly withdrawn: AbortSignal;
};

/** The invocation was waiting for its turn, and is not wanted any more. The agent has not seen it. */
export class Withdrawn extends Error {
  constructor() {
    super('The invocation was withdrawn before it began.');
  }
}

/** What an agent may ask of its host while it works. Every tool call goes through here, so the allowlist binds. */
export type AgentHost = {
  readonly signal: AbortSignal;
  /** Absent when it may begin at once. Only an agent that `takesTurns` is given one. */
  readonly turn?: Turn | undefined;
  /** Called when an invocation begins that has waited for its turn, and once more when it turns out that it began so long ago. */
  begun?(agoMs?: number): void;
  callTool(toolId: string, inputs: Body): Promise<ToolResult>;
  /** Records a call that the agent has made without this host, by what it says of it. It is not answered here. */
  observe(toolId: string, inputs: Body, outcome?: Body): void;
  /**
   * Commits the usage to the spend ledger; an adapter awaits it before it uses the answer it paid for. What the model used
   * that plays the user is not the agent's.
   */
  spend(usage: readonly Usage[], by?: 'simulatedUser'): Promise<void>;
  reason(text: string): void;
};

export type Answer = {
  readonly effort?: Effort;
  /** What the agent's own code printed while it worked on the task. */
  readonly printed?: string;
  /** Tools that it says it has called elsewhere. They are recorded as they are told, and answered by nobody here. */
  readonly observed?: readonly ScoredCall[];
  /** Of an answer that was given elsewhere: how long that took, where it is known. What passed here is then no measure. */
  readonly measured?: { readonly latencyMs?: number };
  /** Of a conversation: how many answers the agent gave in it. */
  readonly turns?: number;
} & (
  | { readonly kind: 'answered' | 'refused'; readonly output: Body; readonly confidence?: number }
  /** `failed` is the agent's own doing (an error, a timeout); `unreachable` is not, and leaves the task unscored. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string; readonly of?: 'user' }
  /** Of a conversation: the model that plays the user said something that is neither words for the agent nor an end. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Of recorded answers: there is none for the task, which stays unscored. */
  | { readonly kind: 'absent'; readonly reason: string }
  /** This host was not let in: the task is unscored, and a run of which this is true from the first task on ends. */
  | (AccessRefusal & { readonly of?: 'user' })
);

/** Requests made for one answer, and how long of it was spent backing off (not the agent's latency). */
type Effort = { readonly attempts: number; readonly waitedMs: number };

/** The files of an agent have been written to since it was opened, so what it says is no evidence of what was planned. */
export class AgentChanged extends Error {
  constructor() {
    super("The agent's files have been written to since it was opened.");
  }
}

/**
 * An agent that can be invoked. `invoke` rejects when the signal aborts, when the host fails it (its tool gateway or its
 * ledger rejects), or with `AgentChanged` or `Withdrawn`; every other problem is an Answer.
 */
export type Agent = {
  readonly facts: AgentFacts;
  /** The model behind it, when that is ours to know. */
  readonly model?: ModelPin;
  /** It keeps invocations that wait for their turn. */
  readonly takesTurns?: true;
  /** The system prompt of an invocation; only manifest agents have one to show. */
  prompt?(invocation: Invocation): ResolvedPrompt;
  invoke(invocation: Invocation, host: AgentHost): Promise<Answer>;
  /** Of recorded answers: the one to this task. Other agents do not learn which task it is. */
  forTask?(taskId: TaskId): Agent;
  /** Why this agent could never answer, when that is known without invoking it: a module that does not load. */
  loadIssue?(): Promise<string | undefined>;
  /** Whether its files have been written to since it was opened; absent for agents without files. */
  hasChanged?(): Promise<boolean>;
  close(): Promise<void>;
};

export type ResolvedPrompt = Pick<Payloads['agent.promptResolved'], 'chain' | 'resolved'>;

/** Bound on turns of one invocation, shared by every adapter that takes turns. */
export const MAX_TURNS = 64;

/** `recordedError` is what the log says in place of `error`: why there is no outcome, where the agent must not learn it. */
export type LiveResult = ToolResult & { readonly recordedError?: string };

/** The live tools of this host. Fixtures stand in front of it; the allowlist is checked before it is asked. */
export type Tools = {
  /** The tools among `wanted` that this owner has been granted. Asked once per run, so a run's surface does not change. */
  granted(owner: Owner, wanted: readonly ToolId[]): Promise<readonly OfferedTool[]>;
  /** All of `wanted`, for tasks whose fixtures stand in; a tool unknown here is offered by its id alone. */
  described(owner: Owner, wanted: readonly ToolId[]): Promise<readonly OfferedTool[]>;
  /** The side effects a tool may have; undefined for a tool this host does not know. */
  tierOf(toolId: ToolId): Promise<SafetyTier | undefined>;
  call(owner: Owner, toolId: ToolId, inputs: Body, signal: AbortSignal): Promise<LiveResult>;
};
