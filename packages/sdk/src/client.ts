import type {
  BaselineEntry,
  BulkCancelResult,
  CompareRuns,
  CompiledProfile,
  CompileProfile,
  ContractReport,
  CreatedRun,
  EvalReport,
  EvalSummary,
  ForkedRun,
  ForkRun,
  InstalledPack,
  InstalledSuite,
  JsonObject,
  JudgeComparison,
  KeyEntry,
  NewBaseline,
  NewWebhook,
  PackListing,
  Page,
  RegisteredWebhook,
  RejudgeRun,
  RunAnswer,
  RunComparison,
  RunId,
  Scorecard,
  ScoreOverride,
  SuiteHistory,
  SuiteListing,
  TaskView,
  Webhook,
} from '@touchstone/protocol';
import type { Annotation, NewAnnotation } from './annotation-types.js';
import { at, type Get, post, type Query, type Reading, type Sending, VENDOR } from './calls.js';
import { auditCalls, deploymentCalls, interruptCalls } from './deployment-calls.js';
import { createRetry, type Retry, type RetryOptions } from './retry.js';
import { runPath, type StreamOptions, streamEvents, streamProgress } from './stream.js';
import { createTransport, type Fetch, type Transport } from './transport.js';
import type {
  AgentEntry,
  AgentInventory,
  CreateRun,
  DebugBundle,
  PackClaim,
  PackInstallation,
  PolledEvents,
  ProgressMessage,
  ReportQuestion,
  RunDiff,
  RunEvent,
  RunFilter,
  RunSnapshot,
  StepResult,
  ToolEntry,
} from './types.js';
import { waitForScorecard } from './wait.js';

export type ClientOptions = {
  /** Address of the host, e.g. `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  /** API key; discovery needs none. */
  readonly key?: string;
  /** What sends requests; the platform's `fetch` when absent. */
  readonly fetch?: Fetch;
  /** How often and how long to try again. */
  readonly retry?: RetryOptions;
};

/** Everything that a host offers, as typed calls. */
export type Client = ReturnType<typeof createClientOver>;

/** A typed client of one host. Reads are retried; every POST carries an idempotency key, so it can be retried as well. */
export function createClient(options: ClientOptions): Client {
  const retry = createRetry(options.retry);
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  return createClientOver(createTransport(options.baseUrl, options.key, fetch, retry), retry);
}

/** The same client over another transport, e.g. one that calls a host in the same process. */
export function createClientOver(transport: Transport, retry: Retry = createRetry()) {
  const get = <T>(path: string, reading?: Reading, query?: Query): Promise<T> =>
    transport.json<T>({ method: 'GET', path, ...(query && { query }), ...reading });
  const stream = (runId: RunId, streaming?: StreamOptions): AsyncGenerator<RunEvent> =>
    streamEvents(transport, retry, runId, streaming);
  const evalSummary = (runId: RunId, reading?: Reading): Promise<EvalSummary> =>
    get(`${runPath(runId)}/eval-summary`, reading);
  const runs = runCalls(transport, get);

  return {
    /** What the host does, as it says itself. Needs no key. */
    discovery: (reading?: Reading): Promise<JsonObject> => get('/.well-known/openwop', reading),
    runs,
    /** The events of a run as they happen, each once, across lost connections. */
    streamEvents: stream,
    /** Some events of a run, waiting for them if need be. */
    pollEvents: (
      runId: RunId,
      polling: { readonly after?: number; readonly timeoutSeconds?: number } & Reading = {},
    ): Promise<PolledEvents> =>
      get(
        `${runPath(runId)}/events/poll`,
        { ...(polling.signal && { signal: polling.signal }) },
        { lastSequence: polling.after, timeout: polling.timeoutSeconds },
      ),
    /** The summary of a completed eval run. */
    evalSummary,
    /** Resolves with the scorecard when the run completes; throws RunFailed when it fails or is cancelled. */
    waitForScorecard: (
      runId: RunId,
      waiting: { readonly signal?: AbortSignal; readonly onEvent?: (event: RunEvent) => void } = {},
    ): Promise<EvalSummary> => waitForScorecard({ stream, evalSummary, getRun: runs.get }, runId, waiting),
    /** The live feed of a run: counters, and tasks as they finish. */
    progress: (runId: RunId, reading?: Reading): AsyncGenerator<ProgressMessage> =>
      streamProgress(transport, retry, runId, reading),
    /** One task of a run with its content. */
    task: (runId: RunId, taskId: string, reading?: Reading): Promise<TaskView> =>
      get(`${VENDOR}/runs/${at(runId)}/tasks/${at(taskId)}`, reading),
    suites: suiteCalls(transport, get),
    baselines: baselineCalls(transport, get),
    profiles: {
      /** Makes a suite and its contract of the profile that a definition carries. */
      compile: (body: CompileProfile, sending?: Sending): Promise<CompiledProfile> =>
        post(transport, `${VENDOR}/profiles:compile`, body, sending),
    },
    agents: agentCalls(transport, get),
    packs: packCalls(transport, get),
    tools: toolCalls(get),
    webhooks: webhookCalls(transport, get),
    deployments: deploymentCalls(transport, get),
    interrupts: interruptCalls(transport, get),
    audit: auditCalls(get),
    keys: {
      /** The keys of the caller's tenant and workspace; never the keys themselves. */
      list: (reading?: Reading): Promise<Page<KeyEntry>> => get(`${VENDOR}/keys`, reading),
    },
  };
}

function runCalls(transport: Transport, get: Get) {
  return {
    /** Creates a run and answers at once; follow it with `streamEvents`. */
    create: (body: CreateRun, sending?: Sending): Promise<CreatedRun> =>
      post(transport, '/v1/runs', body, sending),
    /** Where a run stands. */
    get: (runId: RunId, reading?: Reading): Promise<RunSnapshot> => get(runPath(runId), reading),
    /** The caller's runs, newest first. */
    list: (filter: RunFilter = {}, reading?: Reading): Promise<Page<RunSnapshot>> =>
      get(`${VENDOR}/runs`, reading, filter),
    /** How sure the scorecard of a completed eval run is, what it is made of, and how it compares. */
    report: (
      runId: RunId,
      { against, allowJudgeMismatch, ...reading }: ReportQuestion & Reading = {},
    ): Promise<EvalReport> =>
      get(`${VENDOR}/runs/${at(runId)}/report`, reading, {
        against,
        allowJudgeMismatch: allowJudgeMismatch === undefined ? undefined : String(allowJudgeMismatch),
      }),
    /** Whether a completed eval run kept the contract of its suite; refused when the suite has none. */
    contractReport: (runId: RunId, reading?: Reading): Promise<ContractReport> =>
      get(`${VENDOR}/runs/${at(runId)}/contract-report`, reading),
    /** What the run has measured, task by task, in the order of its log. */
    results: (
      runId: RunId,
      page: { readonly limit?: number; readonly cursor?: string } = {},
      reading?: Reading,
    ): Promise<Page<StepResult>> => get(`${VENDOR}/runs/${at(runId)}/results`, reading, page),
    /** One run against another, task by task, and whether a drop is real. */
    compare: (body: CompareRuns, reading?: Reading): Promise<RunComparison> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:compare`, body, readOnly: true, ...reading }),
    /** How far the judges of two runs agree about the same recorded answers. */
    compareJudges: (before: RunId, after: RunId, reading?: Reading): Promise<JudgeComparison> =>
      transport.json({
        method: 'POST',
        path: `${VENDOR}/runs:compare-judges`,
        body: { before, after },
        readOnly: true,
        ...reading,
      }),
    /** Everything about a completed eval run that can be signed and sent to others. */
    scorecard: (runId: RunId, reading?: Reading): Promise<Scorecard> =>
      get(`${VENDOR}/runs/${at(runId)}/scorecard`, reading),
    /** Has the recorded answers of a completed run judged again, as a new run. */
    rejudge: (runId: RunId, body: RejudgeRun = {}, sending?: Sending): Promise<CreatedRun> =>
      post(transport, `${VENDOR}/runs/${at(runId)}:rejudge`, body, sending),
    ...historyCalls(transport, get),
    /** Ends a run. Tasks at work are given up; those that are done keep their results. */
    cancel: (runId: RunId, reason?: string, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}/cancel`, because(reason), sending),
    /** Cancels several runs, each on its own: one that cannot be cancelled does not stop the others. */
    bulkCancel: (
      runIds: readonly RunId[],
      reason?: string,
      sending?: Sending,
    ): Promise<{ readonly results: readonly BulkCancelResult[] }> =>
      post(transport, '/v1/runs:bulk-cancel', { runIds, ...because(reason) }, sending),
    /** Stops starting tasks until `resume`. */
    pause: (
      runId: RunId,
      pausing: { readonly reason?: string; readonly drainPolicy?: 'immediate' | 'drain-current-node' } = {},
      sending?: Sending,
    ): Promise<RunAnswer> => post(transport, `${runPath(runId)}:pause`, pausing, sending),
    /** Goes on with a paused run. */
    resume: (runId: RunId, reason?: string, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}:resume`, because(reason), sending),
  };
}

/** What can be done with a run's log once it is written. */
function historyCalls(transport: Transport, get: Get) {
  return {
    /** A run that begins with the history of another one; the other one is not touched. */
    fork: (runId: RunId, body: ForkRun, sending?: Sending): Promise<ForkedRun> =>
      post(transport, `${runPath(runId)}:fork`, body, sending),
    /** What differs between the logs of two runs, clocks and ids left aside. */
    diff: (runId: RunId, against: RunId, reading?: Reading): Promise<RunDiff> =>
      get(`${runPath(runId)}:diff`, reading, { against }),
    /** An annotation of a run or a part of it. Whether it corrects a score is for the host to decide. */
    annotate: (runId: RunId, body: NewAnnotation, sending?: Sending): Promise<Annotation> =>
      post(transport, `${runPath(runId)}/annotations`, body, sending),
    /** Oldest first. */
    annotations: async (runId: RunId, reading?: Reading): Promise<readonly Annotation[]> => {
      const path = `${runPath(runId)}/annotations`;
      return (await get<{ readonly annotations: readonly Annotation[] }>(path, reading)).annotations;
    },
    /** The corrections of scores among the annotations, oldest first; the last one of a task counts. */
    overrides: async (runId: RunId, reading?: Reading): Promise<readonly ScoreOverride[]> =>
      (await get<Page<ScoreOverride>>(`${VENDOR}/runs/${at(runId)}/overrides`, reading)).items,
    /** The run in one document to hand on, secrets taken out. */
    debugBundle: (runId: RunId, reading?: Reading): Promise<DebugBundle> =>
      get(`${runPath(runId)}/debug-bundle`, reading),
  };
}

function suiteCalls(transport: Transport, get: Get) {
  return {
    /** Installs a suite. The same one twice is one installation; another one of its version is refused. */
    install: (suite: JsonObject, sending?: Sending): Promise<InstalledSuite> =>
      post(transport, `${VENDOR}/suites`, suite, sending),
    list: (
      page: { readonly limit?: number; readonly cursor?: string } = {},
      reading?: Reading,
    ): Promise<Page<SuiteListing>> => get(`${VENDOR}/suites`, reading, page),
    /** `suiteId@version`; the suite as it was installed. */
    get: (suiteRef: string, reading?: Reading): Promise<JsonObject> =>
      get(`${VENDOR}/suites/${at(suiteRef)}`, reading),
    /** The same without its tasks; a bare id means the highest version. */
    head: (suiteRef: string, reading?: Reading): Promise<SuiteListing> =>
      get(`${VENDOR}/suites/${at(suiteRef)}/head`, reading),
    /** Checks a suite as a run would, and installs nothing. */
    check: (suite: JsonObject, sending?: Sending): Promise<InstalledSuite> =>
      post(transport, `${VENDOR}/suites:check`, suite, sending),
    /** The completed runs of a suite, oldest first: of all versions by its id, of one as `suiteId@version`. */
    history: (
      suiteRef: string,
      filter: { readonly agentId?: string; readonly limit?: number } = {},
      reading?: Reading,
    ): Promise<SuiteHistory> => get(`${VENDOR}/suites/${at(suiteRef)}/history`, reading, filter),
  };
}

function baselineCalls(transport: Transport, get: Get) {
  return {
    /** Newest first, those that no longer count included. */
    list: async (
      filter: { readonly suiteId?: string } = {},
      reading?: Reading,
    ): Promise<readonly BaselineEntry[]> =>
      (await get<Page<BaselineEntry>>(`${VENDOR}/baselines`, reading, filter)).items,
    /** Makes a completed run the baseline of its suite, its agent and its judge. */
    bless: (runId: RunId, sending?: Sending): Promise<NewBaseline> =>
      post(transport, `${VENDOR}/baselines`, { runId }, sending),
  };
}

function agentCalls(transport: Transport, get: Get) {
  return {
    /** The agents that the caller can run, one entry per agent. */
    list: (reading?: Reading): Promise<AgentInventory> => get('/v1/agents', reading),
    /** One agent of the inventory. */
    get: (agentId: string, reading?: Reading): Promise<AgentEntry> =>
      get(`/v1/agents/${at(agentId)}`, reading),
    /** Binds one version of a tenant's own agent; `spec` is the `agents[]` object of the configuration. */
    bind: (agentId: string, spec: JsonObject, reading?: Reading): Promise<JsonObject> =>
      transport.json({ method: 'PUT', path: `${VENDOR}/agents/${at(agentId)}`, body: spec, ...reading }),
  };
}

function packCalls(transport: Transport, get: Get) {
  return {
    /** Sends a gzipped tar archive. The same one twice is one installation; another one of its version is refused. */
    install: async (archive: Uint8Array, claim: PackClaim, reading?: Reading): Promise<PackInstallation> => {
      const { body, headers } = await transport.reply<InstalledPack>({
        method: 'PUT',
        path: `${VENDOR}/packs/${at(claim.name)}/-/${at(claim.version)}.tgz`,
        bytes: { data: archive, mediaType: 'application/gzip' },
        ...(claim.integrity !== undefined && { headers: { 'x-pack-sha256': claim.integrity } }),
        ...reading,
      });
      const outcome = headers.get('touchstone-outcome');
      return outcome === 'created' || outcome === 'same' ? { ...body, outcome } : body;
    },
    list: (
      page: { readonly limit?: number; readonly cursor?: string } = {},
      reading?: Reading,
    ): Promise<Page<PackListing>> => get(`${VENDOR}/packs`, reading, page),
  };
}

function toolCalls(get: Get) {
  return {
    /** The tools that agents may be given here. */
    list: (reading?: Reading): Promise<readonly ToolEntry[]> => get('/v1/tools', reading),
    /** One tool of the catalogue. */
    get: (toolId: string, reading?: Reading): Promise<ToolEntry> => get(`/v1/tools/${at(toolId)}`, reading),
  };
}

function webhookCalls(transport: Transport, get: Get) {
  return {
    /** The secret in the answer is shown this once. */
    register: (body: NewWebhook, sending?: Sending): Promise<RegisteredWebhook> =>
      post(transport, '/v1/webhooks', body, sending),
    /** Oldest first. */
    list: (reading?: Reading): Promise<Page<Webhook>> => get(`${VENDOR}/webhooks`, reading),
    /** Stops deliveries to a webhook and forgets it. */
    remove: (webhookId: string, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `/v1/webhooks/${at(webhookId)}`, ...reading }),
  };
}

const because = (reason: string | undefined): JsonObject => (reason === undefined ? {} : { reason });
