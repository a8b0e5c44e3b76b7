import type {
  AgentDeploymentTransitionWire,
  AgentInventoryEntryWire,
  AgentInventoryResponseWire,
  AuditListing,
  DebugBundleWire,
  DeploymentRecord,
  EvalCompleted,
  EvalScored,
  EvalStarted,
  InstalledPack,
  REVIEW_STATES,
  RUN_KINDS,
  RunCreateWire,
  RunDiffResponseWire,
  RunId,
  RunSnapshotWire,
  RunStatus,
  RunVerdict,
  Severity,
  TASK_CHANGES,
  TASK_ORDERS,
  TASK_OUTCOMES,
  TaskResult,
  TaskView,
  ToolDescriptorWire,
  UnscoredReason,
} from '@touchstone/protocol';
import type { RunFacts } from './run-facts.js';

/** Body of `POST /v1/runs`: of a suite against an agent (`mode: 'eval'`), of one agent, or of a workflow. */
export type CreateRun = Omit<RunCreateWire, 'tenantId'>;

/** A run as its event log tells it. */
export type RunSnapshot = RunSnapshotWire & {
  /** Facts that a Touchstone host adds; another kind of host has none. */
  readonly touchstone?: RunFacts;
};

/** Which runs to list, newest first. An absent member excludes none. */
export type RunFilter = {
  /** Only runs of this agent. */
  readonly agentId?: string;
  /** Only runs of this suite, of any version. */
  readonly suiteId?: string;
  /** Only runs that stand like this. */
  readonly status?: RunStatus;
  /** Only evaluations, moves of deployments, or runs of one agent or workflow. */
  readonly kind?: (typeof RUN_KINDS)[number];
  /** Only completed evaluations on this side. */
  readonly verdict?: RunVerdict;
  /** Only runs with this tag. */
  readonly tag?: string;
  /** Only runs that were created then or later, ISO 8601. */
  readonly since?: string;
  /** Only runs that were created before, ISO 8601. */
  readonly until?: string;
  /** Only runs with this in their id, or in the name of their suite, their agent or a tag. */
  readonly q?: string;
  /** The most runs of one page; the host's default when absent. */
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
};

/** What a report compares a run with, when it is not the run's own baseline. */
export type ReportQuestion = {
  /** Another run of the same suite. */
  readonly against?: RunId;
  /** Compare the tasks that are the same in both suites, whatever else changed. */
  readonly common?: boolean;
  /** Compare although different judges scored the two runs; refused otherwise. */
  readonly allowJudgeMismatch?: boolean;
};

/** An event as the host sends it. Unknown types and members are possible: a newer host may say more. */
export type RunEvent = {
  /** Opaque and unique. */
  readonly eventId: string;
  /** The run it happened in. */
  readonly runId: RunId;
  /** What happened, e.g. `eval.scored`. */
  readonly type: string;
  /** The facts; their shape follows from the type. `isEvent` narrows it. */
  readonly payload: { readonly [key: string]: unknown };
  /** When it happened, ISO 8601. Only the sequence orders events. */
  readonly timestamp: string;
  /** Its place in the run, from 0, without gaps. */
  readonly sequence: number;
  /** The node it belongs to; in an eval run, the task. */
  readonly nodeId?: string;
  /** The event that this one follows from. */
  readonly causationId?: string;
};
/** Payloads that `isEvent` knows, by event type. */
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

/** Which events a poll asks for, and how long it may wait for them. */
export type PollOptions = {
  /** Only events with a higher sequence; all events when absent. */
  readonly after?: number;
  /** How long the host may hold the request while there is no such event, from 1 to 60 seconds; 30 when absent. */
  readonly timeoutSeconds?: number;
  /** The most events of one answer, from 1 to 1000. */
  readonly limit?: number;
  /** Only events of these types. */
  readonly types?: readonly string[];
};

/** Answer of a poll. */
export type PolledEvents = {
  /** Those after the sequence that was named, in order; none when the wait was over first. */
  readonly events: readonly RunEvent[];
  /** Whether the last of them ends the run. */
  readonly isComplete: boolean;
  /** With `types`: the last event that was looked at; read on after it. */
  readonly lastSequence?: number;
};

/** How to pause a run. */
export type PauseRun = {
  /** Why, in a few words; recorded with the run. */
  readonly reason?: string;
  /**
   * `drain-current-node`: tasks at work are finished first. `immediate`: they are given up, and run again after
   * `resume`. `drain-current-node` when absent.
   */
  readonly drainPolicy?: 'immediate' | 'drain-current-node';
};

/** What the sender says about an archive; the host refuses one that is something else. */
export type PackClaim = {
  /** The name in its manifest. */
  readonly name: string;
  /** The version in its manifest. */
  readonly version: string;
  /** SHA-256 of the archive, as `sha256-<base64>`; not checked when absent. */
  readonly integrity?: string;
};

/** Words for the audit log. */
export type RevokeOptions = {
  /** Why, at most 512 characters; absent when no reason is given. */
  readonly reason?: string;
};

/** A pack that was sent to a host. */
export type PackInstallation = InstalledPack & {
  /** `same`: this very pack was installed before. A host of another kind does not say. */
  readonly outcome?: 'created' | 'same';
};

/** A tool of the host's catalogue. */
export type ToolEntry = ToolDescriptorWire;

/** An agent of the host's inventory. Never its prompt, its schemas or a credential. */
export type AgentEntry = AgentInventoryEntryWire;
/** The agents that the caller can run, and how many there are. */
export type AgentInventory = AgentInventoryResponseWire;

/** What differs between two runs; `a` is the run that was asked about. Equal logs have no differences. */
export type RunDiff = RunDiffResponseWire;

/** A run in one document to hand on. A newer host may say more. */
export type DebugBundle = DebugBundleWire & { readonly [member: string]: unknown };

/** One version of an agent, in service or on its way there. */
export type Deployment = DeploymentRecord;

/** Body of `POST /v1/agents/{agentId}/deployments`. */
export type TransitionDeployment = AgentDeploymentTransitionWire;

/** What came of a transition: the version has moved, or people are asked first. */
export type TransitionedDeployment = {
  /** After the move; as it still is while people are asked. */
  readonly record: Deployment;
  /** The run that tells of it; another kind of host may not name it. */
  readonly runId?: RunId;
  /** Present while people are asked: what the run waits for. */
  readonly waiting?: RunStatus;
};

/** One record of the audit log: someone asked for something, and was allowed or refused. */
export type AuditEntry = AuditListing;

/** A live picture of a run: how many of its tasks are done, and how they went. */
export type RunProgress = {
  /** Tasks that were selected to run. */
  readonly total: number;
  /** Tasks with a result. */
  readonly done: number;
  /** Tasks at work now. */
  readonly running: number;
  /** Done and passed. */
  readonly passed: number;
  /** Done, scored and not passed. */
  readonly failed: number;
  /** Neither passed nor failed; absent while every task could be scored. */
  readonly unscored?: number;
  /** Known cost so far, in US dollars; absent while none is known. */
  readonly costUsd?: number;
  /** About how long the rest will take, in milliseconds; absent until there is something to judge by. */
  readonly etaMs?: number;
};

/** One message of the live feed: the counters, one finished task in completion order, or how many a slow reader lost. */
export type ProgressMessage =
  | {
      /** The counters have changed. */
      readonly event: 'progress';
      /** All counters, not only those that changed. */
      readonly data: RunProgress;
    }
  | {
      /** A task has its result. */
      readonly event: 'task';
      /** The result in short; `runs.results` has all of it. */
      readonly data: Pick<EvalScored, 'taskId' | 'score' | 'passed' | 'latencyMs'> & {
        /** Why there is no score; the 0 then says nothing about the answer. */
        readonly unscored?: UnscoredReason;
      };
    }
  | {
      /** The reader was too slow, and messages were dropped. */
      readonly event: 'missed';
      /** How much was dropped. */
      readonly data: {
        /** How many finished tasks were not told. */
        readonly tasks: number;
      };
    };

/** The result of one task of a run. */
export type StepResult = {
  /** The place of the task in the suite, counted from 0. */
  readonly ordinal: number;
  /** What was measured, without content. */
  readonly result: TaskResult;
};

/** One task of a run with its content. */
export type StepTask = {
  /** The place of the task in the suite, counted from 0. */
  readonly ordinal: number;
  /** What the agent was given, and what it answered. */
  readonly task: TaskView;
};

type TaskChange = (typeof TASK_CHANGES)[number];
/** Which tasks of a run to keep. An absent member keeps all. */
export type TaskFilter = {
  /** Only tasks on this side; an unscored task is neither passed nor failed. */
  readonly outcome?: (typeof TASK_OUTCOMES)[number];
  /** Only tasks that changed like this, several with commas between them; needs a run to compare with. */
  readonly change?: TaskChange | `${TaskChange},${string}`;
  /** The run that changes are measured against; the baseline of the run when absent. */
  readonly against?: RunId;
  /** The beginning of task ids, up to their first hyphen. */
  readonly slice?: string;
  /** A part of the task's id. */
  readonly id?: string;
  /** A kind of finding. */
  readonly finding?: string;
  /** How bad a finding is. */
  readonly severity?: Severity;
  /** The id of a criterion that the task did not meet. */
  readonly criterion?: string;
  /** Where the review of the task stands. */
  readonly reviewed?: (typeof REVIEW_STATES)[number];
  /** The least score. */
  readonly minScore?: number;
  /** The highest score. */
  readonly maxScore?: number;
  /** The least time, in milliseconds. */
  readonly minMs?: number;
  /** The longest time, in milliseconds. */
  readonly maxMs?: number;
};

type Order = (typeof TASK_ORDERS)[number];
/** Which tasks of a run to list, in which order, and which part of them. */
export type TaskListQuery = TaskFilter & {
  /** What to sort by, `suite` when absent; a minus before it sorts the other way. Tasks without the value come last. */
  readonly order?: Order | `-${Order}`;
  /** How many of the matching tasks to skip; none when absent. */
  readonly offset?: number;
  /** The most tasks of one page, at most 500; 100 when absent. */
  readonly limit?: number;
  /** The id of a task: the page that has it, instead of the one at `offset`. */
  readonly around?: string;
  /** Of how many runs of the same suite and agent to say how the task went, at most 20; none when absent. */
  readonly last?: number;
};

/** A run of a suite. */
export type EvalRunSnapshot = RunSnapshot & {
  /** The facts of an eval run, with those that every eval run has. */
  readonly touchstone: RunFacts & Required<Pick<RunFacts, 'suite' | 'agent' | 'modes' | 'repeats' | 'tasks'>>;
};

/** Whether a run is of a suite, on a Touchstone host; then suite, agent, modes, repeats and tasks are known. */
export const isEvalRun = (run: RunSnapshot): run is EvalRunSnapshot => run.touchstone?.kind === 'eval';
