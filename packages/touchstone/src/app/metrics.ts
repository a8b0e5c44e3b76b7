import { isHostError, isTerminal, type Owner, type RunId, type RunStatus } from '@touchstone/protocol';
import type { Gauge } from 'prom-client';
import { TIMED_OUT, withinTime } from '../net/index.js';
import type { Clock, Run, RunLog, Runs, Store } from '../ports/index.js';

/** Numbers about this process for a scraper. Labels are route templates, statuses and flags; never an id. */
export type Metrics = {
  requestAnswered(method: string, route: string, status: number, seconds: number): void;
  runStarted(): void;
  runEnded(status: RunStatus, seconds: number | undefined): void;
  taskScored(passed: boolean): void;
  streamsOpen(count: number): void;
  bytesUnread(count: number): void;
  /** How often each limit of tenants was reached since the start. */
  limitsReached(counts: ReadonlyMap<string, number>): void;
  /** Where work stands, when somebody asks. What only the store knows is left out while the store is away. */
  work(own: OwnWork, stored: StoredWork | undefined): void;
  render(): Promise<{ readonly text: string; readonly mediaType: string }>;
};

/** What a process knows by itself. */
type OwnWork = {
  /** Runs that this process has taken up. */
  readonly atWork: number;
  /** Runs of processes that were lost, which this one has gone on with. */
  readonly takeovers: number;
  /** Shares of runs that this process executes. */
  readonly assignments: number;
};

/** What is read from the store. */
type StoredWork = {
  /** Runs of the store that wait for a process to take them up. */
  readonly waiting: number;
  /** Processes that take up runs of the store. */
  readonly workers: number;
  /** Shares of runs that wait for a process. */
  readonly waitingAssignments: number;
  /** Units of runs that processes share, which none of them has claimed yet. */
  readonly unitsLeft: number;
};

export async function createMetrics(): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const register = new Registry();
  const registers = [register];
  const requests = new Counter({
    name: 'touchstone_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'touchstone_http_request_duration_seconds',
    help: 'Time to answer a request; for a stream, how long it was open.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 60],
    registers,
  });
  const runs = new Counter({
    name: 'touchstone_runs_total',
    help: 'Runs started and ended by this process.',
    labelNames: ['status'],
    registers,
  });
  const runSeconds = new Histogram({
    name: 'touchstone_run_duration_seconds',
    help: 'How long runs took, pauses left out.',
    labelNames: ['status'],
    buckets: [0.1, 1, 10, 60, 300, 1_800, 7_200],
    registers,
  });
  const tasks = new Counter({
    name: 'touchstone_tasks_scored_total',
    help: 'Tasks scored.',
    labelNames: ['passed'],
    registers,
  });
  const streams = new Gauge({
    name: 'touchstone_streams_open',
    help: 'Event streams and long polls open now.',
    registers,
  });
  const unread = new Gauge({
    name: 'touchstone_unread_bytes',
    help: 'Bytes of answers and streams that callers have not read yet.',
    registers,
  });
  const limits = new Counter({
    name: 'touchstone_limit_reached_total',
    help: 'How often a tenant reached a limit of limits.perTenant: refused, or made to wait.',
    labelNames: ['limit'],
    registers,
  });
  const waiting = new Gauge({
    name: 'touchstone_runs_waiting',
    help: 'Runs of the store that wait for a process to take them up.',
    registers,
  });
  const atWork = new Gauge({
    name: 'touchstone_runs_at_work',
    help: 'Runs that this process has taken up.',
    registers,
  });
  const takeovers = new Counter({
    name: 'touchstone_takeovers_total',
    help: 'Runs of lost processes that this process has gone on with.',
    registers,
  });
  const workers = new Gauge({
    name: 'touchstone_workers',
    help: 'Processes that take up runs of the store; 0 for a store of one machine.',
    registers,
  });
  const assignments = new Gauge({
    name: 'touchstone_assignments',
    help: 'Shares of runs that this process executes.',
    registers,
  });
  const waitingAssignments = new Gauge({
    name: 'touchstone_assignments_waiting',
    help: 'Shares of runs that wait for a process.',
    registers,
  });
  const unitsLeft = new Gauge({
    name: 'touchstone_units_left',
    help: 'Tasks, times repeats, of runs that several processes execute, which none of them has begun.',
    registers,
  });
  return {
    requestAnswered(method, route, status, seconds) {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
    },
    runStarted: () => runs.inc({ status: 'started' }),
    runEnded(status, seconds) {
      runs.inc({ status });
      if (seconds !== undefined) runSeconds.observe({ status }, seconds);
    },
    taskScored: (passed) => tasks.inc({ passed: String(passed) }),
    streamsOpen: (count) => streams.set(count),
    bytesUnread: (count) => unread.set(count),
    limitsReached(counts) {
      limits.reset();
      for (const [limit, count] of counts) limits.inc({ limit }, count);
    },
    work(own, stored) {
      atWork.set(own.atWork);
      assignments.set(own.assignments);
      takeovers.reset();
      takeovers.inc(own.takeovers);
      show(waiting, stored?.waiting);
      show(workers, stored?.workers);
      show(waitingAssignments, stored?.waitingAssignments);
      show(unitsLeft, stored?.unitsLeft);
    },
    render: async () => ({ text: await register.metrics(), mediaType: register.contentType }),
  };
}

/** A number that is not known is absent. With 0, or the last one that was known, an autoscaler would take it for the truth. */
function show(gauge: Pick<Gauge, 'set' | 'remove'>, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

/** Scrapers give up after 10 seconds, and a database that stands still would keep them waiting for longer. */
const READ_MS = 5_000;

type WorkTables = Pick<Store, 'workers' | 'assignments'>;

/**
 * Undefined while the store is away or does not answer: a scraper still learns about the process then, which is when an operator
 * looks.
 */
export async function readStoredWork(store: WorkTables, clock: Clock): Promise<StoredWork | undefined> {
  try {
    const read = await withinTime(clock, READ_MS, () => readWork(store));
    return read === TIMED_OUT ? undefined : read;
  } catch (error) {
    if (isHostError(error) && error.code === 'unavailable') return undefined;
    throw error;
  }
}

async function readWork({ workers, assignments }: WorkTables): Promise<StoredWork> {
  const [waiting, present] = await Promise.all([workers.waitingRuns(), workers.list()]);
  const { assignments: waitingAssignments, units: unitsLeft } = await assignments.waiting();
  return { waiting, workers: present.length, waitingAssignments, unitsLeft };
}

/** A run may commit thousands of times a second; once a second is often enough to count what it has done. */
const LOOK_MS = 1_000;
const PAGE_RESULTS = 1_000;

type Counters = Pick<Metrics, 'runStarted' | 'runEnded' | 'taskScored'>;
type FollowParts = {
  readonly runs: Pick<Runs, 'get' | 'head'>;
  readonly log: Pick<RunLog, 'watch' | 'results'>;
};

/**
 * Counts the tasks and the end of a run from its log, so that nothing is missed however fast the run is. Stops when the
 * run has ended or the host closes.
 */
export function followRun(
  metrics: Counters,
  parts: { readonly store: FollowParts; readonly clock: Pick<Clock, 'sleep'>; readonly closing: AbortSignal },
  owner: Owner,
  runId: RunId,
): void {
  const { store, clock, closing } = parts;
  let counted = 0;
  let ended = false;
  let looking = false;
  let looked = Promise.resolve();
  const look = async (): Promise<void> => {
    if (ended) return;
    // The status first: every result of a run that has ended is in its log by then.
    const head = await store.runs.head(owner, runId);
    counted += await countResults(metrics, store.log, { owner, runId }, counted);
    if (head && !isTerminal(head.status)) return;
    ended = true;
    unwatch();
    const run = await store.runs.get(owner, runId);
    if (run) metrics.runEnded(run.status, secondsOf(run));
  };
  // One after the other: two at once would count the same results twice.
  const lookNow = (): void => {
    looked = looked.then(look).catch(() => unwatch());
  };
  const lookSoon = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    await clock.sleep(LOOK_MS, closing);
    looking = false;
    lookNow();
  };
  metrics.runStarted();
  const unwatch = store.log.watch(runId, () => void lookSoon().catch(() => unwatch()));
  // It may have ended before anyone listened.
  lookNow();
}

async function countResults(
  metrics: Counters,
  log: Pick<RunLog, 'results'>,
  { owner, runId }: { readonly owner: Owner; readonly runId: RunId },
  from: number,
): Promise<number> {
  let count = 0;
  for (;;) {
    const results = await log.results(owner, runId, from + count, PAGE_RESULTS);
    for (const { result } of results) metrics.taskScored(result.passed);
    count += results.length;
    if (results.length < PAGE_RESULTS) return count;
  }
}

const secondsOf = ({ startedAt, completedAt, pausedMs }: Run): number | undefined =>
  startedAt === undefined || completedAt === undefined
    ? undefined
    : (completedAt - startedAt - pausedMs) / 1000;
