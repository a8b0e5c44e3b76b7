import type {
  Digest,
  HeadlineFigures,
  JsonObject,
  Owner,
  RunError,
  RunId,
  RunPlan,
  RunStatus,
  RunTotals,
} from '@touchstone/protocol';
import type { Body, DrainPolicy } from '@touchstone/protocol/bodies';

/** Who may take up an unfinished run: `host` runs are adopted by any `serve`, `cli` runs only by `--resume`. */
export type RunOrigin = 'host' | 'cli';

/** The caller's own words about a run, kept verbatim and never interpreted here. */
export type RunRequest = {
  readonly inputs?: Body;
  readonly configurable?: JsonObject;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly scopeId?: string;
};

/** What a person asked of a run in progress. The driver obeys it; the row remembers it across a crash. */
export type Control =
  | {
      readonly kind: 'cancel';
      readonly by: string;
      readonly reason?: string;
      /** The run whose end takes this one along. */
      readonly parentRunId?: RunId;
    }
  | {
      readonly kind: 'pause';
      readonly by: string;
      readonly drainPolicy: DrainPolicy;
      readonly reason?: string;
    };

export type Run = {
  readonly runId: RunId;
  readonly owner: Owner;
  readonly principal: string;
  readonly origin: RunOrigin;
  readonly workflowId: string;
  readonly plan: RunPlan;
  readonly request: RunRequest;
  /** As the log has it: a run that has been asked to pause is `paused` when `run.paused` has been written. */
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly completedAt?: number;
  /** When a pause was asked for that is not over; `pausedMs` adds up the pauses that are over. */
  readonly pausedAt?: number;
  readonly pausedMs: number;
  /** Set while it waits for an answer that has a deadline. */
  readonly waitUntil?: number;
  /** Which of its nodes waits. */
  readonly waitingNode?: string;
  readonly control?: Control;
  readonly error?: RunError;
  readonly headline?: RunTotals;
  /** Beside the totals; absent of runs that ended before figures were kept, and of replays. */
  readonly figures?: HeadlineFigures;
  /** Until when a driver has claimed this run; absent while no driver has it. */
  readonly leaseUntil?: number;
  /** Number of events in the log; the next event gets this sequence. */
  readonly eventCount: number;
  readonly engineVersion: number;
  /** Since when its content is gone: answers, tool calls, reasons. Scores stay. */
  readonly bodiesRemovedAt?: number;
  /** Of the log as it was before: what scorecards of the run name. */
  readonly logDigest?: Digest;
};

export type RunHead = Pick<Run, 'status' | 'eventCount'>;

export type NewRun = Pick<
  Run,
  | 'runId'
  | 'owner'
  | 'principal'
  | 'origin'
  | 'workflowId'
  | 'plan'
  | 'request'
  | 'createdAt'
  | 'engineVersion'
>;

/** What a move of a deployment is listed as. */
export const DEPLOYMENT_WORKFLOW = 'touchstone.deployment';

export type RunFilter = {
  readonly agentId?: string;
  readonly suiteId?: string;
  readonly status?: RunStatus;
  /** Only evaluations, only moves of deployments, or only runs of one agent or workflow. */
  readonly kind?: 'eval' | 'deployment' | 'single';
  /** Only runs that were created then or later. */
  readonly createdFrom?: number;
  /** Only runs that were created before. */
  readonly createdBefore?: number;
  readonly limit: number;
  readonly cursor?: string;
};

export type Runs = {
  /** With `exclusiveScope`, refuses by naming it while another run of the same owner and `request.scopeId` is active. */
  create(
    run: NewRun,
    options?: { readonly exclusiveScope?: boolean },
  ): Promise<Run | { readonly activeRunId: RunId }>;
  get(owner: Owner, runId: RunId): Promise<Run | undefined>;
  /** How far a run is, for callers that look often: neither its plan nor what was sent along is read. */
  head(owner: Owner, runId: RunId): Promise<RunHead | undefined>;
  /** Newest first; no more than fit a page, and one if there is any. */
  list(owner: Owner, filter: RunFilter): Promise<Page<Run>>;
  /** How many runs stand like this; a status that no run has is absent. */
  count(owner: Owner): Promise<{ readonly [status in RunStatus]?: number }>;
  /**
   * Sets a status and control if the run is still in one of `from`, a run that has been asked to pause being in `paused`;
   * undefined when it is not (or is not this owner's).
   * One statement: two callers cannot both win.
   */
  request(
    owner: Owner,
    runId: RunId,
    change: {
      readonly from: readonly RunStatus[];
      readonly status: RunStatus;
      readonly control: Control | null;
      readonly pausedAt?: number;
      /** Only if nothing asked for earlier is still waiting for the driver. */
      readonly settled?: true;
    },
  ): Promise<Run | undefined>;
};

/** One page of a list. `nextCursor` is opaque, and absent on the last page. */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor?: string };
