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
  JudgeListing,
  KeyEntry,
  LookAtRuns,
  LooksReport,
  NewBaseline,
  NewWebhook,
  PackListing,
  Page,
  PortableJudge,
  PrunedRuns,
  PruneRuns,
  RegisteredWebhook,
  RejudgeRun,
  RemovedPack,
  RevokedPack,
  RunAnswer,
  RunArtifact,
  RunComparison,
  RunId,
  RunPreview,
  Scorecard,
  ScoreOverride,
  SuiteHistory,
  SuiteInstallation,
  SuiteListing,
  SuiteSignature,
  TaskBodies,
  TaskFacets,
  TaskList,
  TaskView,
  TenantUsage,
  Webhook,
  WorkerEntry,
} from '@touchstone/protocol';
import type { Annotation, NewAnnotation } from './annotation-types.js';
import {
  at,
  type Get,
  type PageQuery,
  post,
  posting,
  type Query,
  type Reading,
  type Sending,
  VENDOR,
} from './calls.js';
import { auditCalls, deploymentCalls, interruptCalls } from './deployment-calls.js';
import { matrixCalls, suiteTaskCalls } from './matrix-calls.js';
import { createRetry, type Retry, type RetryOptions } from './retry.js';
import { reviewCalls } from './review-calls.js';
import { runPath, type StreamOptions, streamEvents, streamProgress } from './stream.js';
import { taskCalls } from './task-calls.js';
import { createTransport, type Fetch, type Transport } from './transport.js';
import type {
  AgentEntry,
  AgentInventory,
  CreateRun,
  DebugBundle,
  PackClaim,
  PackInstallation,
  PauseRun,
  PolledEvents,
  PollOptions,
  ProgressMessage,
  ReportQuestion,
  RevokeOptions,
  RunDiff,
  RunEvent,
  RunFilter,
  RunSnapshot,
  StepResult,
  StepTask,
  TaskFilter,
  TaskListQuery,
  ToolEntry,
} from './types.js';
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
    judges: {
      /** Installs a portable judge. The same again is no change; other content under its version is a conflict. */
      install: (judge: JsonObject, sending?: Sending): Promise<JudgeListing> =>
        post(transport, `${VENDOR}/judges`, judge, sending),
      /** The judges that can be named, without their questions. */
      list: (reading?: Reading): Promise<{ readonly items: readonly JudgeListing[] }> =>
        get(`${VENDOR}/judges`, reading),
      /**
       * A judge as it was installed.
       * @param judgeRef `<judgeId>@<version>`, or the id for the highest version.
       */
      get: (judgeRef: string, reading?: Reading): Promise<PortableJudge> =>
        get(`${VENDOR}/judges/${at(judgeRef)}`, reading),
    },
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

/** Calls on runs. */
function runCalls(transport: Transport, get: Get) {
  return {
    /**
     * Creates a run and answers at once; follow it with `streamEvents`. Refused with `validation_error` when suite,
     * agent and options do not fit together.
     */
    create: (body: CreateRun, sending?: Sending): Promise<CreatedRun> =>
      post(transport, '/v1/runs', body, sending),
    /** Where a run stands: status, times, error, and the facts that a Touchstone host adds. */
    get: (runId: RunId, reading?: Reading): Promise<RunSnapshot> => get(runPath(runId), reading),
    /** The runs of the caller's tenant and workspace, newest first. */
    list: (filter: RunFilter = {}, reading?: Reading): Promise<Page<RunSnapshot>> =>
      get(`${VENDOR}/runs`, reading, filter),
    /**
     * How certain the score of a completed eval run is, what it is made of, and how it compares with its baseline or
     * with the run in `against`.
     */
    report: (
      runId: RunId,
      { against, common, allowJudgeMismatch, ...reading }: ReportQuestion & Reading = {},
    ): Promise<EvalReport> =>
      get(`${VENDOR}/runs/${at(runId)}/report`, reading, {
        against,
        common: common === undefined ? undefined : String(common),
        allowJudgeMismatch: allowJudgeMismatch === undefined ? undefined : String(allowJudgeMismatch),
      }),
    /**
     * Whether a completed eval run kept the contract of its suite, criterion by criterion. Refused with `not_found`
     * when the suite has none.
     */
    contractReport: (runId: RunId, reading?: Reading): Promise<ContractReport> =>
      get(`${VENDOR}/runs/${at(runId)}/contract-report`, reading),
    /**
     * The content-free results of a run, in the order of its log; also of a run that goes on. `readResults` reads all
     * pages.
     */
    results: (runId: RunId, page: PageQuery = {}, reading?: Reading): Promise<Page<StepResult>> =>
      get(`${VENDOR}/runs/${at(runId)}/results`, reading, page),
    /** What a run would do. Refused as `create` would be; creates nothing. */
    preview: (body: CreateRun, reading?: Reading): Promise<RunPreview> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:preview`, body, readOnly: true, ...reading }),
    /**
     * The tasks of a run with their content, in the order of its log; also of a run that goes on. A page ends by
     * bytes, and a task with long answers has the first of its repeats only: `client.task` reads the rest.
     */
    taskViews: (runId: RunId, page: PageQuery = {}, reading?: Reading): Promise<Page<StepTask>> =>
      get(`${VENDOR}/runs/${at(runId)}/task-views`, reading, page),
    /**
     * The tasks of a run that have ended, filtered and sorted by the host; also of a run that goes on. Without content.
     */
    tasks: (runId: RunId, query: TaskListQuery = {}, reading?: Reading): Promise<TaskList> =>
      get(`${VENDOR}/runs/${at(runId)}/tasks`, reading, query),
    /** Input, expected value and answer of up to 50 tasks, each cut to `chars` characters (400 when absent). Content. */
    bodies: (
      runId: RunId,
      tasks: readonly string[],
      { chars, ...reading }: { readonly chars?: number } & Reading = {},
    ): Promise<TaskBodies> =>
      get(`${VENDOR}/runs/${at(runId)}/bodies`, reading, { tasks: tasks.join(','), chars }),
    ...taskCalls(transport, get),
    /** How the tasks of a run fall apart: counts and histograms. Each part ignores the filter by that part. */
    facets: (runId: RunId, filter: TaskFilter = {}, reading?: Reading): Promise<TaskFacets> =>
      get(`${VENDOR}/runs/${at(runId)}/facets`, reading, filter),
    /** One run against another, task by task, and whether a drop is more than chance. Changes nothing on the host. */
    compare: (body: CompareRuns, reading?: Reading): Promise<RunComparison> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:compare`, body, readOnly: true, ...reading }),
    /**
     * What is known after each round of one evaluation. The intervals are right at all looks at once, so one may stop at the
     * first verdict. Changes nothing on the host.
     */
    looks: (body: LookAtRuns, reading?: Reading): Promise<LooksReport> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:looks`, body, readOnly: true, ...reading }),
    /**
     * How far the judges of two runs agree about the same recorded answers.
     * @param before A completed run.
     * @param after The run that `rejudge` made of it.
     */
    compareJudges: (before: RunId, after: RunId, reading?: Reading): Promise<JudgeComparison> =>
      transport.json({
        method: 'POST',
        path: `${VENDOR}/runs:compare-judges`,
        body: { before, after },
        readOnly: true,
        ...reading,
      }),
    /**
     * Everything about a completed eval run that can be signed and sent to others: scores, ids and digests, no
     * content.
     */
    scorecard: (runId: RunId, reading?: Reading): Promise<Scorecard> =>
      get(`${VENDOR}/runs/${at(runId)}/scorecard`, reading),
    /** Creates a run that has the recorded answers of a completed run judged again. No agent is invoked. */
    rejudge: (runId: RunId, body: RejudgeRun = {}, sending?: Sending): Promise<CreatedRun> =>
      post(transport, `${VENDOR}/runs/${at(runId)}:rejudge`, body, sending),
    ...historyCalls(transport, get),
    ...removalCalls(transport),
    /**
     * Ends a run. Tasks at work are given up; finished tasks keep their results. Refused with `run_terminal` when the
     * run has ended.
     * @param reason Recorded with the run, at most 1024 characters.
     */
    cancel: (runId: RunId, reason?: string, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}/cancel`, because(reason), sending),
    /** Cancels up to 100 runs, each on its own: one that cannot be cancelled does not stop the others. */
    bulkCancel: (
      runIds: readonly RunId[],
      reason?: string,
      sending?: Sending,
    ): Promise<{ readonly results: readonly BulkCancelResult[] }> =>
      post(transport, '/v1/runs:bulk-cancel', { runIds, ...because(reason) }, sending),
    /** Starts no further task until `resume`. Time in a pause does not count towards `runTimeoutMs`. */
    pause: (runId: RunId, pausing: PauseRun = {}, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}:pause`, pausing, sending),
    /** Continues a paused run. Refused with `run_state_conflict` when it is not paused. */
    resume: (runId: RunId, reason?: string, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}:resume`, because(reason), sending),
  };
}

/** Calls that remove what is recorded of ended runs. */
function removalCalls(transport: Transport) {
  return {
    /**
     * Removes an ended run with everything that is recorded of it. Refused with `run_state_conflict` while it goes on,
     * and with `conflict` when a baseline, a deployment or another run needs it. One that is already gone after a retry
     * counts as removed.
     */
    remove: (runId: RunId, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `${VENDOR}/runs/${at(runId)}`, ...reading }),
    /** Removes the answers, tool calls and reasons of an ended run. Scores stay. Refused like `remove`. */
    removeBodies: (runId: RunId, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `${VENDOR}/runs/${at(runId)}/bodies`, ...reading }),
    /** Removes old runs, or their content, up to 1000 at a time: ask again while `more` is true. */
    prune: (body: PruneRuns, sending?: Sending): Promise<PrunedRuns> =>
      post(transport, `${VENDOR}/runs:prune`, body, sending),
  };
}

/** Calls on the log of a run: fork, diff, annotations, debug bundle. */
function historyCalls(transport: Transport, get: Get) {
  return {
    /**
     * Creates a run that begins with the history of another one; the other one is not touched. A replay has ended
     * when this resolves; a branch goes on.
     */
    fork: (runId: RunId, body: ForkRun, sending?: Sending): Promise<ForkedRun> =>
      post(transport, `${runPath(runId)}:fork`, body, sending),
    /**
     * What differs between the logs of two runs; timestamps and ids are not compared.
     * @param against The run that the first one is compared with; `b` in the answer.
     */
    diff: (runId: RunId, against: RunId, reading?: Reading): Promise<RunDiff> =>
      get(`${runPath(runId)}:diff`, reading, { against }),
    /**
     * Records a reviewer's annotation of a run, an event or a node. A correction of an `eval.scored` event overrides
     * that score in reports, if the key may override.
     */
    annotate: (runId: RunId, body: NewAnnotation, sending?: Sending): Promise<Annotation> =>
      post(transport, `${runPath(runId)}/annotations`, body, sending),
    /** The annotations of a run, oldest first; with `taskId` only those on this task or on one of its events. */
    annotations: async (
      runId: RunId,
      { taskId, ...reading }: { readonly taskId?: string } & Reading = {},
    ): Promise<readonly Annotation[]> => {
      const path = `${runPath(runId)}/annotations`;
      return (await get<{ readonly annotations: readonly Annotation[] }>(path, reading, { taskId }))
        .annotations;
    },
    /** The corrections of scores among the annotations, oldest first. Of several for one task the last one counts. */
    overrides: async (runId: RunId, reading?: Reading): Promise<readonly ScoreOverride[]> =>
      (await get<Page<ScoreOverride>>(`${VENDOR}/runs/${at(runId)}/overrides`, reading)).items,
    /** The run in one document for a bug report. Known secrets are masked; it may be truncated. */
    debugBundle: (runId: RunId, reading?: Reading): Promise<DebugBundle> =>
      get(`${runPath(runId)}/debug-bundle`, reading),
    /** A thing that a run asks people about, by the `artifactId` of the question. Needs the scope `artifacts:read`. */
    artifact: (runId: RunId, artifactId: string, reading?: Reading): Promise<RunArtifact> =>
      get(`${runPath(runId)}/artifacts/${at(artifactId)}`, reading),
  };
}

/** Calls on suites. */
function suiteCalls(transport: Transport, get: Get) {
  return {
    /**
     * Installs a suite. The same suite twice is one installation; other content under the same version is refused
     * with `conflict`.
     */
    install: async (
      suite: JsonObject,
      {
        envelope,
        ...sending
      }: Sending & {
        /** The DSSE envelope that was signed for the suite, as text. The host holds it against its trust policy. */
        readonly envelope?: string;
      } = {},
    ): Promise<SuiteInstallation> => {
      const headers = envelope === undefined ? {} : { 'touchstone-suite-envelope': base64Of(envelope) };
      const call = { ...posting(`${VENDOR}/suites`, suite, sending), headers };
      const { body, headers: answered } = await transport.reply<SuiteInstallation>(call);
      const outcome = answered.get('touchstone-outcome');
      return outcome === 'created' || outcome === 'same' ? { ...body, outcome } : body;
    },
    /**
     * Who has signed a suite, with the envelope. Refused with `not_found` when no trusted key has.
     * @param suiteRef `<suiteId>@<version>`, or the id for the highest version.
     */
    signature: (suiteRef: string, reading?: Reading): Promise<SuiteSignature> =>
      get(`${VENDOR}/suites/${at(suiteRef)}/signature`, reading),
    /** The installed suites without their tasks. */
    list: (page: PageQuery = {}, reading?: Reading): Promise<Page<SuiteListing>> =>
      get(`${VENDOR}/suites`, reading, page),
    /**
     * A suite as it was installed, tasks included.
     * @param suiteRef `<suiteId>@<version>`, or the id for the highest version.
     */
    get: (suiteRef: string, reading?: Reading): Promise<JsonObject> =>
      get(`${VENDOR}/suites/${at(suiteRef)}`, reading),
    /**
     * A suite without its tasks.
     * @param suiteRef `<suiteId>@<version>`, or the id for the highest version.
     */
    head: (suiteRef: string, reading?: Reading): Promise<SuiteListing> =>
      get(`${VENDOR}/suites/${at(suiteRef)}/head`, reading),
    /** Checks a suite as an installation would, and installs nothing. Throws `validation_error` with every issue. */
    check: (suite: JsonObject, sending?: Sending): Promise<InstalledSuite> =>
      post(transport, `${VENDOR}/suites:check`, suite, sending),
    /**
     * The completed runs of a suite, oldest first.
     * @param suiteRef The id for all versions, or `<suiteId>@<version>` for one.
     */
    history: (
      suiteRef: string,
      filter: {
        /** Only runs of this agent. */
        readonly agentId?: string;
        /** The most runs; the newest are kept. */
        readonly limit?: number;
      } = {},
      reading?: Reading,
    ): Promise<SuiteHistory> => get(`${VENDOR}/suites/${at(suiteRef)}/history`, reading, filter),
  };
}

/** Calls on baselines. */
function baselineCalls(transport: Transport, get: Get) {
  return {
    /** All baselines, newest first; `current` tells those that count from those that were replaced. */
    list: async (
      filter: {
        /** Only baselines of this suite, of any version. */
        readonly suiteId?: string;
      } = {},
      reading?: Reading,
    ): Promise<readonly BaselineEntry[]> =>
      (await get<Page<BaselineEntry>>(`${VENDOR}/baselines`, reading, filter)).items,
    /**
     * Makes a completed run the baseline of its suite, its agent and its judge. Forks and runs with cached answers
     * are refused.
     */
    bless: (runId: RunId, sending?: Sending): Promise<NewBaseline> =>
      post(transport, `${VENDOR}/baselines`, { runId }, sending),
  };
}

/** Calls on agents. */
function agentCalls(transport: Transport, get: Get) {
  return {
    /** The agents that the caller can run: one entry per agent, its highest version. */
    list: (reading?: Reading): Promise<AgentInventory> => get('/v1/agents', reading),
    /** One agent of the inventory, by its id without a version. */
    get: (agentId: string, reading?: Reading): Promise<AgentEntry> =>
      get(`/v1/agents/${at(agentId)}`, reading),
    /**
     * Binds one version of a tenant's own agent. The same version with other settings is refused with `conflict`.
     * @param spec An entry of `agents` as in the configuration, of a kind that a tenant may bind.
     */
    bind: (agentId: string, spec: JsonObject, reading?: Reading): Promise<JsonObject> =>
      transport.json({ method: 'PUT', path: `${VENDOR}/agents/${at(agentId)}`, body: spec, ...reading }),
  };
}

/** Calls on packs. */
function packCalls(transport: Transport, get: Get) {
  return {
    /**
     * Sends a gzipped tar archive. The same pack twice is one installation; other content under the same version is
     * refused with `conflict`.
     * @param archive The bytes of the `.tgz`, at most 50 MiB unpacked.
     */
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
    /** The installed packs without their files. */
    list: (page: PageQuery = {}, reading?: Reading): Promise<Page<PackListing>> =>
      get(`${VENDOR}/packs`, reading, page),
    /**
     * Removes one version of a pack with its agents and suites; runs and their results stay. Refused with `conflict` while
     * one of its agents is in service or has a run that is not over.
     */
    remove: (name: string, version: string, reading?: Reading): Promise<RemovedPack> =>
      transport.json({ method: 'DELETE', path: packPath(name, version), ...reading }),
    /**
     * Revokes one version of a pack, installed or not, for good: it can no longer be installed or run, and its evidence
     * passes no gate. Runs that have begun go on.
     */
    revoke: (
      name: string,
      version: string,
      options: RevokeOptions = {},
      reading?: Reading,
    ): Promise<RevokedPack> =>
      transport.json({
        method: 'POST',
        path: `${packPath(name, version)}/revoke`,
        body: { ...options },
        ...reading,
      }),
  };
}

const packPath = (name: string, version: string): string => `${VENDOR}/packs/${at(name)}/-/${at(version)}`;

/** Calls on the tool catalogue. */
function toolCalls(get: Get) {
  return {
    /** All tools that agents may be given on this host. */
    list: (reading?: Reading): Promise<readonly ToolEntry[]> => get('/v1/tools', reading),
    /** One tool, by its id `<scope>:<tool>`. */
    get: (toolId: string, reading?: Reading): Promise<ToolEntry> => get(`/v1/tools/${at(toolId)}`, reading),
  };
}

/** Calls on webhooks. */
function webhookCalls(transport: Transport, get: Get) {
  return {
    /** Registers an address. The answer shows the secret of the signature; no later answer does. */
    register: (body: NewWebhook, sending?: Sending): Promise<RegisteredWebhook> =>
      post(transport, '/v1/webhooks', body, sending),
    /** The webhooks of the tenant, oldest first, with the state of their deliveries. */
    list: (reading?: Reading): Promise<Page<Webhook>> => get(`${VENDOR}/webhooks`, reading),
    /** Stops deliveries to a webhook and removes it. One that is already gone after a retry counts as removed. */
    remove: (webhookId: string, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `/v1/webhooks/${at(webhookId)}`, ...reading }),
  };
}

/** Of text, on a page too, where there is no Buffer. */
const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

const because = (reason: string | undefined): JsonObject => (reason === undefined ? {} : { reason });
