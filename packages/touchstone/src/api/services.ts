import { asId, type EvalMode, HostError, isHostError, type RunId } from '@touchstone/protocol';
import {
  type Annotations,
  type Config,
  capabilitiesOf,
  createDirectory,
  createHeldBytes,
  createInterruptTokens,
  createMetrics,
  createWebhooks,
  type Directory,
  ENGINE_VERSION,
  type EvalCapability,
  type EvalRun,
  evalCapability,
  followRun,
  IMPLEMENTED_MODES,
  type InterruptTokens,
  isEval,
  type KnownKey,
  type Metrics,
  readStoredWork,
  type Sessions,
  systemIds,
  type Touchstone,
  type Webhooks,
  webhookGuard,
} from '../app/index.js';
import type { Clock, Ids, Log, Run } from '../ports/index.js';
import type { Call, Reply } from './endpoint.js';
import { createEventPages } from './streams/event-pages.js';
import type { Feed } from './streams/event-stream.js';
import { createOutput, type Output } from './streams/output.js';
import { createWakeups } from './streams/wakeups.js';

/** What the operations work with. */
export type Services = {
  readonly touchstone: Touchstone;
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  /** The discovery document. */
  readonly capabilities: object;
  /** Absent when the operator has switched evaluation off. */
  readonly evalSuite?: EvalCapability;
  readonly feed: Feed;
  /** What is sent and has not been read yet. */
  readonly output: Output;
  readonly annotations: Annotations;
  readonly webhooks: Webhooks;
  readonly tokens: InterruptTokens;
  readonly directory: Directory;
  /** Absent where no page is served. */
  readonly sessions?: Sessions;
  readonly version: string;
  metrics(): Promise<Metrics>;
  /** All numbers as they are now, for a scraper. */
  renderMetrics(): ReturnType<Metrics['render']>;
  /** Counts a run that this host has started. */
  follow(run: Run): void;
};

export type ServiceOptions = {
  readonly touchstone: Touchstone;
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  /** Adds the test seams under `/v1/host/sample/`. Never in production. */
  readonly testSeams?: boolean;
  /** Eval modes that this version can run; the host advertises those that the configuration allows. */
  readonly implementedModes?: readonly EvalMode[];
  readonly version?: string;
  /** Keys of the configuration and those made at the first start. */
  readonly keys?: readonly KnownKey[];
  readonly ids?: Pick<Ids, 'token'>;
  readonly env?: NodeJS.ProcessEnv;
  /** How many streams the server holds open now, for the metrics. */
  readonly openStreams?: () => number;
  /** Of browsers; absent where no page is served. */
  readonly sessions?: Sessions;
  /** Aborts when the host closes. */
  readonly closing?: AbortSignal;
};

const NEVER = new AbortController().signal;

/** The same services for the server and for a command in process. Nothing is started here. */
export function createServices(options: ServiceOptions): Services {
  const { touchstone, config, log, clock, implementedModes = IMPLEMENTED_MODES, version = '0.1.0' } = options;
  const { openStreams = () => 0, closing = NEVER, keys = [] } = options;
  const { store } = touchstone;
  const facts = { config, implementedModes, version, engineVersion: ENGINE_VERSION };
  const evalSuite = evalCapability(facts);
  const { maxUnreadBytes, perTenant } = config.limits;
  const output = createOutput(
    { perTenant: perTenant.unreadBytes, total: maxUnreadBytes },
    () => touchstone.limitCounts.reached('unreadBytes'),
    touchstone.shares,
  );
  let made: Promise<Metrics> | undefined;
  const metrics = async (): Promise<Metrics> => {
    made ??= createMetrics();
    const current = await made;
    current.streamsOpen(openStreams());
    current.bytesUnread(output.held.total);
    current.limitsReached(touchstone.limitCounts.read());
    return current;
  };
  return {
    touchstone,
    config,
    log,
    clock,
    capabilities: capabilitiesOf(facts),
    ...(evalSuite && { evalSuite }),
    feed: {
      pages: createEventPages(store),
      wakeups: createWakeups(store.log, clock),
      annotations: store.annotations,
      held: output.held,
      runs: store.runs,
      clock,
    },
    output,
    annotations: touchstone.annotations,
    webhooks: openWebhooks(options, version),
    tokens: createInterruptTokens(store, clock),
    directory: createDirectory({ fixed: keys, stored: store.keys, roles: config.roles, clock }),
    ...(options.sessions && { sessions: options.sessions }),
    version,
    metrics,
    async renderMetrics() {
      const stored = await readStoredWork(store, clock);
      const current = await metrics();
      current.work(touchstone.engine.load, stored);
      const { text, mediaType } = await current.render();
      return { text: [text, touchstone.storeTimes?.render() ?? ''].join('\n'), mediaType };
    },
    follow(run) {
      metrics().then(
        (counters) => followRun(counters, { store, clock, closing }, run.owner, run.runId),
        (error) => log.error('metrics.failed', {}, error),
      );
    },
  };
}

function openWebhooks(options: ServiceOptions, version: string): Webhooks {
  const { touchstone, config, log, clock, ids = systemIds, env = process.env, testSeams = false } = options;
  const guard = webhookGuard(config, testSeams, env);
  const { store, names, limitCounts } = touchstone;
  const { perTenant, maxUnreadBytes } = config.limits;
  const held = createHeldBytes({ perTenant: perTenant.webhookBytes, total: maxUnreadBytes }, () =>
    limitCounts.reached('webhookBytes'),
  );
  return createWebhooks({ store, clock, log, ids, guard, names, version, held });
}

export const runIdOf = (call: Call): RunId => asId<RunId>(call.params.runId ?? '');

/** The caller's run. A run of another owner looks like an absent one. */
export async function findRun({ touchstone }: Services, call: Call): Promise<Run> {
  const run = await touchstone.store.runs.get(call.principal.owner, runIdOf(call));
  if (!run) throw new HostError('not_found', 'There is no such run.');
  return run;
}

/** The caller's eval run. */
export async function findEvalRun(host: Services, call: Call<unknown, unknown>): Promise<EvalRun> {
  const run = await findRun(host, call);
  if (isEval(run)) return run;
  throw new HostError('not_found', 'This run is not an eval run, so it has no tasks.');
}

/** Whether there is anything to read about evaluations here. */
export function checkEvaluation({ evalSuite }: Services): void {
  if (!evalSuite) throw new HostError('not_found', 'This host does not run evaluations.');
}

/** The answer to a request that has created a run. */
export function createdRun({ origin }: Call, { runId }: Run, status: string): Reply {
  const statusUrl = `${origin}/v1/runs/${runId}`;
  return {
    status: 201,
    headers: { location: statusUrl },
    body: { runId, status, eventsUrl: `${statusUrl}/events`, statusUrl },
  };
}

/** An id that fails validation cannot exist: 404, not 400. */
export function noSuch(error: unknown): undefined {
  if (!isHostError(error) || error.code !== 'validation_error') throw error;
}
