import type {
  CompiledProfile,
  CompileProfile,
  EvalSummary,
  JsonObject,
  KeyEntry,
  Page,
  RunId,
  TaskView,
  TenantUsage,
  WorkerEntry,
} from '@touchstone/protocol';
import { agentCalls, toolCalls } from './calls/agent-calls.js';
import { baselineCalls } from './calls/baseline-calls.js';
import { at, post, type Query, type Reading, type Sending, VENDOR } from './calls/calls.js';
import { auditCalls, deploymentCalls, interruptCalls } from './calls/deployment-calls.js';
import { judgeCalls } from './calls/judge-calls.js';
import { matrixCalls, suiteTaskCalls } from './calls/matrix-calls.js';
import { packCalls } from './calls/pack-calls.js';
import { reviewCalls } from './calls/review-calls.js';
import { runCalls } from './calls/run-calls.js';
import { suiteCalls } from './calls/suite-calls.js';
import { webhookCalls } from './calls/webhook-calls.js';
import { createRetry, type Retry, type RetryOptions } from './retry.js';
import { runPath, type StreamOptions, streamEvents, streamProgress } from './stream.js';
import { createTransport, type Fetch, type Transport } from './transport.js';
import type { PolledEvents, PollOptions, ProgressMessage, RunEvent } from './types.js';
import { type WaitOptions, waitForScorecard } from './wait.js';

/** Which host a client talks to, and how. */
export type ClientOptions = {
  /**
   * Address of the host with `http://` or `https://`, e.g. `http://127.0.0.1:8787`; a path before `/v1` is kept. User
   * names and passwords in it are refused.
   */
  readonly baseUrl: string;
  /**
   * API key, sent as `Authorization: Bearer`. Its tenant, workspace and roles decide what the calls may do. Discovery
   * and answers by link need none.
   */
  readonly key?: string;
  /** What sends requests, e.g. one with a proxy; the platform's `fetch` when absent. */
  readonly fetch?: Fetch;
  /** Awaited before the first request; what it throws, every call throws. E.g. to find out what answers there. */
  readonly before?: () => Promise<void>;
  /** How often and how long to try again after a lost connection, 429 or 5xx; see the defaults of `RetryOptions`. */
  readonly retry?: RetryOptions;
};

/**
 * Everything that a host offers, as typed calls. Each call throws `HostResponseError` when the host refuses, and
 * `HostUnreachable` when no answer comes after all tries.
 */
export type Client = ReturnType<typeof createClientOver>;

/**
 * A typed client of one host. Reads are retried; every POST carries an idempotency key, so it can be retried as well.
 * Nothing is sent before the first call.
 */
export function createClient(options: ClientOptions): Client {
  const retry = createRetry(options.retry);
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  const transport = createTransport(options.baseUrl, options.key, fetch, retry);
  const { before } = options;
  return createClientOver(before ? afterCheck(transport, before) : transport, retry);
}

/** The same transport, once a check has gone well. */
function afterCheck(transport: Transport, before: () => Promise<void>): Transport {
  let checked: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    checked ??= before();
    return checked;
  };
  return {
    open: async (call) => ready().then(() => transport.open(call)),
    json: async (call) => ready().then(() => transport.json(call)),
    reply: async (call) => ready().then(() => transport.reply(call)),
    remove: async (call) => ready().then(() => transport.remove(call)),
  };
}

/**
 * The same client over another transport, e.g. one that calls a host in the same process.
 * @param retry Used for streams; single calls are retried by the transport.
 */
export function createClientOver(transport: Transport, retry: Retry = createRetry()) {
  const get = <T>(path: string, reading?: Reading, query?: Query): Promise<T> =>
    transport.json<T>({ method: 'GET', path, ...(query && { query }), ...reading });
  const stream = (runId: RunId, streaming?: StreamOptions): AsyncGenerator<RunEvent> =>
    streamEvents(transport, retry, runId, streaming);
  const evalSummary = (runId: RunId, reading?: Reading): Promise<EvalSummary> =>
    get(`${runPath(runId)}/eval-summary`, reading);
  const runs = runCalls(transport, get);

  return {
    /** The host's capabilities, from `/.well-known/openwop`. Needs no key. */
    discovery: (reading?: Reading): Promise<JsonObject> => get('/.well-known/openwop', reading),
    /** Runs: create, read, control, compare, annotate. */
    runs,
    /**
     * The events of a run as they happen, each once and in order, across lost connections. Ends after the terminal
     * event.
     */
    streamEvents: stream,
    /**
     * One page of events of a run. The host holds the request until there is an event or the time is over, for
     * callers that cannot keep a stream open.
     */
    pollEvents: (runId: RunId, polling: PollOptions & Reading = {}): Promise<PolledEvents> =>
      get(
        `${runPath(runId)}/events/poll`,
        { ...(polling.signal && { signal: polling.signal }) },
        {
          lastSequence: polling.after,
          timeout: polling.timeoutSeconds,
          limit: polling.limit,
          types: polling.types?.join(','),
        },
      ),
    /**
     * The protocol's summary of a completed eval run. Refused with `run_state_conflict` while the run goes on, and
     * with `not_found` when it failed or was cancelled.
     */
    evalSummary,
    /**
     * Follows a run and resolves with its summary when it completes. Throws `RunFailed` when the run fails or is
     * cancelled.
     */
    waitForScorecard: (runId: RunId, waiting: WaitOptions = {}): Promise<EvalSummary> =>
      waitForScorecard({ stream, evalSummary, getRun: runs.get }, runId, waiting),
    /**
     * The live feed of a run: counters, and tasks as they finish. Not stored: after a lost connection it continues
     * with what is current.
     */
    progress: (runId: RunId, reading?: Reading): AsyncGenerator<ProgressMessage> =>
      streamProgress(transport, retry, runId, reading),
    /** One task of a run with its content: input, answers, tool calls, the judge's reasons. */
    task: (runId: RunId, taskId: string, reading?: Reading): Promise<TaskView> =>
      wholeTask((fromRepeat) =>
        get(`${VENDOR}/runs/${at(runId)}/tasks/${at(taskId)}`, reading, { fromRepeat }),
      ),
    /** What people look at, and how far judges agree with them. */
    review: reviewCalls(transport, get),
    ...matrixCalls(get),
    /** Suites: install, read, check, history. */
    suites: { ...suiteCalls(transport, get), ...suiteTaskCalls(get) },
    /** Portable judges: install, list, read. */
    judges: judgeCalls(transport, get),
    /** Runs that others are measured by. */
    baselines: baselineCalls(transport, get),
    /** Evaluation profiles of agent definitions. */
    profiles: {
      /** Compiles the profile of an agent definition to a suite and a contract. Installs both when `install` is set. */
      compile: (body: CompileProfile, sending?: Sending): Promise<CompiledProfile> =>
        post(transport, `${VENDOR}/profiles:compile`, body, sending),
    },
    /** Agents that can be run here. */
    agents: agentCalls(transport, get),
    /** Packs that bring agents and suites. */
    packs: packCalls(transport, get),
    /** Tools that agents may call. */
    tools: toolCalls(get),
    /** Addresses that events are posted to. */
    webhooks: webhookCalls(transport, get),
    /** Versions of agents in service, and moves between states. */
    deployments: deploymentCalls(transport, get),
    /** Questions that runs ask people. */
    interrupts: interruptCalls(transport, get),
    /** The log of who was allowed or refused what. */
    audit: auditCalls(transport, get),
    /** Runs, cost and size of every tenant, for the operator of the host. Numbers alone. */
    usage: (reading?: Reading): Promise<Page<TenantUsage>> => get(`${VENDOR}/usage`, reading),
    /** The processes that take up runs of the store, for the operator of the host. */
    workers: (reading?: Reading): Promise<Page<WorkerEntry>> => get(`${VENDOR}/workers`, reading),
    /** API keys of the caller's tenant and workspace. */
    keys: {
      /** The keys by id, principal and roles; never the keys themselves. */
      list: (reading?: Reading): Promise<Page<KeyEntry>> => get(`${VENDOR}/keys`, reading),
    },
  };
}

/** All repeats of a task: those with long answers come in parts. */
async function wholeTask(part: (fromRepeat?: number) => Promise<TaskView>): Promise<TaskView> {
  let { nextRepeat, ...view } = await part();
  while (nextRepeat !== undefined) {
    const more = await part(nextRepeat);
    view = { ...view, invocations: [...view.invocations, ...more.invocations] };
    nextRepeat = more.nextRepeat;
  }
  return view;
}
