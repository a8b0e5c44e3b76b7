import {
  type AgentId,
  asId,
  type Digest,
  HostError,
  type Owner,
  type RunId,
  type RunStatus,
  type Version,
  validationError,
} from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { FastifyInstance } from 'fastify';
import { createNames } from '../../net/index.js';
import {
  type AgentFacts,
  type Clock,
  checkAtOnce,
  type Log,
  type ProgressListener,
  type Run,
  type Store,
  UNSHARED,
} from '../../ports/index.js';
import { maskSecrets } from '../../scoring/index.js';
import { createApp } from '../../server/app.js';
import { closeApp } from '../../server/close-app.js';
import { createMemoryStore } from '../../store/index.js';
import { readSentSuite } from '../catalogue/read-suite.js';
import { createSuiteCatalogue } from '../catalogue/suite-catalogue.js';
import { type Config, parseConfig } from '../config/config.js';
import { createCheckpoints } from '../deployments/checkpoints.js';
import { createJudgeCatalogue } from '../judges/judge-catalogue.js';
import { createLimitCounts } from '../limit-counts.js';
import { createRefusals } from '../refusals.js';
import { createRetention } from '../retention/retention.js';
import { createAnnotations } from '../review/annotations.js';
import { createBlessings } from '../review/blessings.js';
import { createReviews } from '../review/reviews.js';
import type { CreateRunBody } from '../runs/plan-run.js';
import { suiteIssues } from '../runs/task-criteria.js';
import { systemClock, systemIds } from '../system.js';
import type { Touchstone } from '../touchstone.js';
import { readComparison } from '../views/compare.js';
import { readCounts } from '../views/counts.js';
import { buildDebugBundle } from '../views/debug-bundle/debug-bundle.js';
import { diffRuns } from '../views/diff.js';
import { readHistory } from '../views/history.js';
import { readLooks } from '../views/looks.js';
import { readMatrix } from '../views/outcomes/matrix.js';
import { createOutcomesReader } from '../views/outcomes/run-outcomes.js';
import { createOrdinalsReader } from '../views/outcomes/task-ordinals.js';
import { readReport } from '../views/report.js';
import { createResults } from '../views/results.js';
import { listRuns } from '../views/run-list.js';
import { readThresholds } from '../views/run-measurement.js';
import { readScorecard } from '../views/scorecard.js';
import { createTaskTables } from '../views/tasks/task-table.js';
import { createTasks } from '../views/tasks/tasks.js';
import { append, createFakeEngine } from './fake-engine.js';

/** Two tenants, with one key that may only read and one that may do nothing, and the operator. */
export const KEYS = {
  acme: 'acme-admin-key',
  reader: 'acme-reader-key',
  none: 'acme-none-key',
  rival: 'rival-admin-key',
  operator: 'operator-key',
};
export const ACME: Owner = { tenant: 'acme', workspace: 'main' };

type LoggedLine = {
  readonly level: string;
  readonly event: string;
  readonly facts: object;
  readonly cause?: unknown;
};

export type TestHost = {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly touchstone: Touchstone;
  readonly lines: LoggedLine[];
  request(method: string, path: string, options?: RequestOptions): Promise<Answered>;
  /** Appends events to a run's log, and sets its status when one is given, in one commit. */
  append(runId: string, events: readonly NewEvent[], status?: RunStatus): Promise<void>;
  /** Reports progress as an engine would. */
  report: ProgressListener;
  /** How many listen to what `report` tells. */
  progressListeners(): number;
  close(): Promise<void>;
};
type RequestOptions = {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
};
export type Answered = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | number | undefined };
  readonly text: string;
  json<T = { readonly [member: string]: unknown }>(): T;
};

export type TestHostOptions = {
  readonly config?: object;
  readonly testSeams?: boolean;
  readonly clock?: Clock;
  readonly agents?: readonly AgentFacts[];
  /** Changes the host before the app is built around it. */
  readonly wrap?: (touchstone: Touchstone) => Touchstone;
};

const config = (extra: object = {}) =>
  parseConfig(
    {
      roles: { reader: ['runs:read'], nothing: [] },
      keys: [
        { key: KEYS.acme, tenant: 'acme', principal: 'ci', roles: ['admin'] },
        { key: KEYS.reader, tenant: 'acme', principal: 'viewer', roles: ['reader'] },
        { key: KEYS.none, tenant: 'acme', principal: 'stranger', roles: ['nothing'] },
        { key: KEYS.rival, tenant: 'rival', principal: 'ci', roles: ['admin'] },
        { key: KEYS.operator, tenant: 'house', principal: 'op', roles: ['operator'] },
      ],
      ...extra,
    },
    '/',
  );

/** The HTTP layer over a real store in memory and an engine that does nothing but keep its word about statuses. */
export async function createTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const clock = options.clock ?? systemClock;
  const store = await createMemoryStore(clock);
  const listeners = new Set<ProgressListener>();
  const lines: LoggedLine[] = [];
  const log: Log = {
    info: (event, facts = {}) => lines.push({ level: 'info', event, facts }),
    warn: (event, facts = {}) => lines.push({ level: 'warn', event, facts }),
    error: (event, facts = {}, cause) => lines.push({ level: 'error', event, facts, cause }),
  };
  const read = config(options.config);
  const fake = createFake({ store, clock, log, config: read }, listeners, options.agents ?? [echoAgent]);
  const touchstone = options.wrap?.(fake) ?? fake;
  const app = createApp({
    touchstone,
    config: read,
    log,
    clock,
    testSeams: options.testSeams ?? false,
  });
  return {
    app,
    store,
    touchstone,
    lines,
    request: (method, path, request) => inject(app, method, path, request),
    append: (runId, events, status) => append(store, ACME, asId<RunId>(runId), events, status),
    report: (progress, finished) => {
      for (const listener of listeners) listener(progress, finished);
    },
    progressListeners: () => listeners.size,
    async close() {
      await closeApp(app);
      await store.close();
    },
  };
}

async function inject(
  app: FastifyInstance,
  method: string,
  url: string,
  options: RequestOptions = {},
): Promise<Answered> {
  const { key = KEYS.acme, body, headers = {} } = options;
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    json: () => response.json(),
  };
}

const DIGEST = asId<Digest>('sha256:0000');
export const echoAgent: AgentFacts = {
  agentId: asId<AgentId>('local.acme.echo'),
  version: asId<Version>('1.0.0'),
  digest: DIGEST,
  kind: 'scripted',
  persona: 'Echo',
  toolAllowlist: [],
};

type FakeParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
};

function createFake(
  { store, clock, log, config }: FakeParts,
  listeners: Set<ProgressListener>,
  agents: readonly AgentFacts[],
): Touchstone {
  const suites = createSuiteCatalogue(store, clock);
  const annotations = createAnnotations({ store, clock, ids: systemIds, log, mask: maskSecrets });
  const results = createResults(store.log);
  const taskSources = { store, openThresholds: async () => () => undefined };
  const tables = createTaskTables(taskSources);
  const outcomes = createOutcomesReader({ store, results }, tables);
  const ordinals = createOrdinalsReader(store);
  const tasks = createTasks({ store, tables, outcomes, ordinals });
  const limitCounts = createLimitCounts();
  const { recordedRefusals: atOnce } = config.limits.perTenant;
  let made = 0;
  return {
    limitCounts,
    shares: UNSHARED,
    taskEvents: async () => ({ items: [], spans: [] }),
    calibrationOf: async () => undefined,
    judges: createJudgeCatalogue(store, clock),
    taskTexts: { find: async () => new Set() },
    readSuite: (owner, value, bytes) =>
      readSentSuite({ check: checkAtOnce, shares: UNSHARED }, owner, value, bytes),
    suiteIssues: (_owner, suite) => suiteIssues(suite),
    refusals: createRefusals({ audit: store.audit, clock, log, atOnce, counts: limitCounts }),
    names: createNames({ clock, perTenant: 8 }),
    store,
    engine: createFakeEngine(store, listeners),
    suites,
    agents: {
      async bind(_, agentId) {
        return { outcome: 'created', facts: { ...echoAgent, agentId: asId<AgentId>(agentId) } };
      },
      list: async () => agents.map((facts) => ({ facts, hostOwned: true })),
      async find(_, reference) {
        const facts = agents.find(({ agentId }) => agentId === reference);
        return facts && { facts, hostOwned: true };
      },
    },
    checkpoints: createCheckpoints({ audit: store.audit, clock, signing: undefined, version: '0' }),
    retention: createRetention({ store, clock, log, origin: 'host' }),
    deployments: {
      list: async () => undefined,
      versions: async () => undefined,
      board: async () => ({ items: [] }),
      review: async () => Promise.reject(new HostError('not_found', 'There is no such agent.')),
      transition: async () => Promise.reject(new HostError('not_found', 'There is no such agent.')),
    },
    previewRun: async () => Promise.reject(new HostError('not_found', 'This host plans nothing.')),
    async createRun(principal, body, { origin = 'host', exclusiveScope = false } = {}) {
      made += 1;
      const created = await store.runs.create(
        {
          runId: asId<RunId>(`run-${made}`),
          owner: principal.owner,
          principal: principal.id,
          origin,
          createdAt: clock.now(),
          engineVersion: 1,
          request: {
            ...(body.configurable && {
              configurable: body.configurable as Run['request']['configurable'] & object,
            }),
            ...(body.tags && { tags: body.tags }),
            ...(body.metadata && { metadata: body.metadata as Run['request']['metadata'] & object }),
            ...(body.scopeId && { scopeId: body.scopeId }),
          },
          ...(await planOf(suites, principal.owner, body)),
        },
        { exclusiveScope },
      );
      if ('activeRunId' in created)
        throw new HostError('run_already_active', 'Busy.', { activeRunId: created.activeRunId });
      return created;
    },
    packs: {
      async install() {
        throw new HostError('invalid_manifest', 'This host takes no packs.');
      },
      list: async () => ({ items: [] }),
      async remove() {
        throw new HostError('not_found', 'This host takes no packs.');
      },
      revoke: async () => ({ installed: false, serving: [] }),
    },
    tools: { catalogue: async () => [], find: async () => undefined },
    rejudge: async () => {
      throw new HostError('not_found', 'There is no such run.');
    },
    viewTask: async () => undefined,
    viewTasks: async () => ({ items: [], covered: 0 }),
    reviews: createReviews({ sources: taskSources, tables }),
    tasks,
    listRuns: (owner, query) => listRuns({ store, outcomes }, owner, query),
    matrix: (owner, request) => readMatrix({ store, outcomes, ordinals }, owner, request),
    counts: (owner) => readCounts({ store, tasks }, owner),
    fork: async () => {
      throw new HostError('not_found', 'There is no such run.');
    },
    diff: (owner, a, b) => diffRuns(store, owner, a, b),
    debugBundle: (owner, runId, signal) =>
      buildDebugBundle({ store, clock, version: '0.0.0', mask: (text) => text }, owner, runId, signal),
    annotations,
    report: (owner, runId, options) =>
      readReport({ store, results, overridesOf: annotations.overridesOf }, owner, runId, options),
    results,
    thresholdsOf: (run) => readThresholds(store, run),
    scorecard: (owner, runId) => readScorecard({ store, results }, owner, runId),
    looks: (owner, request) => readLooks({ store, results }, owner, request, 0),
    compareRuns: (owner, request) => readComparison({ store, results }, owner, request, 0),
    compareJudges: async () => {
      throw new HostError('not_found', 'There is no such eval run.');
    },
    history: (owner, request) => readHistory({ store, outcomes }, owner, request, []),
    blessings: createBlessings({ store, clock }),
    compileDefinition: async () => {
      throw new HostError('validation_error', 'This host compiles nothing.');
    },
    contractReport: async () => {
      throw new HostError('not_found', 'There is no such run.');
    },
    close: () => store.close(),
  };
}

async function planOf(
  suites: ReturnType<typeof createSuiteCatalogue>,
  owner: Owner,
  body: CreateRunBody,
): Promise<Pick<Run, 'workflowId' | 'plan'>> {
  const agent = { agentId: echoAgent.agentId, version: echoAgent.version, digest: DIGEST };
  if (body.mode === 'eval') {
    const suite = await suites.find(owner, body.evalSuiteRef ?? '');
    if (!suite)
      throw validationError([{ pointer: '/evalSuiteRef', message: 'unknown' }], { field: 'evalSuiteRef' });
    const { suiteId, version, digest, taskCount, modes } = suite.head;
    const pinned = { suiteId, version, digest };
    return {
      workflowId: suiteId,
      plan: { kind: 'eval', suite: pinned, agent, modes, totalTasks: taskCount, repeats: 1, concurrency: 8 },
    };
  }
  if (body.agentId) return { workflowId: body.agentId, plan: { kind: 'agent', agent } };
  const workflowId = body.workflowId ?? '';
  return { workflowId, plan: { kind: 'workflow', workflowId } };
}
