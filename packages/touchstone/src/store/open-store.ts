import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { HostError, isHostError } from '@touchstone/protocol';
import type { Clock, Store, ThreadShares } from '../ports/index.js';
import { createAmounts } from './amounts.js';
import { createAnnotations } from './annotations.js';
import { createAudit } from './audit.js';
import { createBaselines } from './baselines.js';
import { createBoundAgents } from './catalogue/bound-agents.js';
import { createCalibrations } from './catalogue/calibrations.js';
import { createJudges } from './catalogue/judges.js';
import { createMemory } from './catalogue/memory.js';
import { createPacks } from './catalogue/packs.js';
import { retain } from './catalogue/retain.js';
import { createSuites } from './catalogue/suites.js';
import { type CopiedTable, checkSource, copyRows } from './copy/copy-store.js';
import type { Db } from './db.js';
import { createDeployments } from './deployments.js';
import { SQLITE } from './dialect.js';
import { createPaces } from './fleet/paces.js';
import { createWorkers } from './fleet/workers.js';
import { createIdempotency } from './idempotency.js';
import { createKeys } from './keys.js';
import { checkLogs } from './log/check-logs.js';
import type { Writing } from './log/group-commit.js';
import { type LeaseClock, ownClock } from './log/lease-clock.js';
import { createLeases, processHolder } from './log/leases.js';
import { createLedger } from './log/ledger.js';
import { createPace, type Pace } from './log/page-rows.js';
import { createRunLog } from './log/run-log.js';
import { createRuns } from './log/runs.js';
import { shareWatchers } from './log/shared-watchers.js';
import { createWatchers } from './log/watchers.js';
import { MIGRATIONS } from './migrations/index.js';
import { createOutcomes } from './outcomes.js';
import { NO_PEERS, type Peers } from './peers.js';
import { type OpenOptions, openPostgres } from './postgres/open-postgres.js';
import { isPostgresUrl, readPostgresAddress } from './postgres/postgres-address.js';
import { createPostgresDb } from './postgres/postgres-db.js';
import { connectError } from './postgres/postgres-errors.js';
import { openPeers, withSession } from './postgres/postgres-peers.js';
import { createServerClock } from './postgres/server-clock.js';
import { unsafeSettings } from './postgres/server-facts.js';
import { createResponses } from './responses.js';
import { createRetention } from './retention.js';
import { textAt } from './rows.js';
import { createSessions } from './sessions.js';
import { migrate } from './sqlite/migrate.js';
import { MEMORY, openSqlite } from './sqlite/open-sqlite.js';
import { createSqliteDb } from './sqlite/sqlite-db.js';
import { openError } from './sqlite/sqlite-errors.js';
import { createThreadedDb } from './sqlite/threaded-db.js';
import { type StoreTimes, timedDb } from './timed-db.js';
import { createWebhooks } from './webhooks.js';
import { createAssignments } from './work/assignments.js';
import { createWork } from './work/work.js';

type SharedOptions = {
  readonly clock: Clock;
  /** The name under which leases are held; by default one that other processes can check for life. */
  readonly holder?: string;
  /** Of a host with several tenants: reading and writing counts for the tenant. */
  readonly shares?: ThreadShares;
  /** Told how long calls take. */
  readonly times?: StoreTimes | undefined;
};
type StoreOptions = SharedOptions & {
  /** A path, or `:memory:` for a store that ends with the process. */
  readonly file: string;
};
type PostgresStoreOptions = SharedOptions & {
  /** `postgres://user:password@host:port/database?schema=name` */
  readonly url: string;
  /** Told of a server whose clock is off by more than a second. */
  readonly onSkew?: (skewMs: number) => void;
  /** Told of each setting of the server by which a crash loses what was acknowledged. */
  readonly onUnsafe?: (setting: string) => void;
  /** For a process that lives long: it hears of the others, and they learn at once when it is no more. */
  readonly withPeers?: {
    /** Told when that cannot be, as behind a pooler in transaction mode. */
    readonly onPooled: () => void;
  };
  /** False for a process that takes the tables as they are. */
  readonly mayPrepare?: boolean;
};

export async function openStore({
  file,
  clock,
  holder = processHolder(),
  shares,
  times,
}: StoreOptions): Promise<Store> {
  const db = await openFile(file, writingOf(clock, shares));
  const sharing = { holder, peers: NO_PEERS, leaseClock: ownClock(clock), isShared: false };
  return createStore(db, clock, createPace(shares), sharing, times);
}

const writingOf = (clock: Clock, shares: ThreadShares | undefined): Writing | undefined =>
  shares && { elapsed: clock.elapsed, charge: shares.charge };

async function openFile(file: string, writing?: Writing, isCopyTarget = false): Promise<Db> {
  const sqlite = await openSqlite(file);
  try {
    migrate(sqlite, file, SQLITE, MIGRATIONS, isCopyTarget);
  } catch (error) {
    sqlite.close();
    throw openError(file, error);
  }
  return writing && file !== MEMORY
    ? createThreadedDb(sqlite, file, writing)
    : createSqliteDb(sqlite, writing);
}

/** A store that any number of processes share. Leases go by the server's clock: it is the same for all of them. */
export async function openPostgresStore({
  url,
  clock,
  holder = processHolder(),
  shares,
  times,
  onSkew,
  onUnsafe,
  withPeers,
  mayPrepare,
}: PostgresStoreOptions): Promise<Store> {
  const opened = await openDatabase(url, clock, { mayPrepare }, writingOf(clock, shares));
  const { db, facts } = opened;
  for (const setting of unsafeSettings(facts)) onUnsafe?.(setting);
  const leaseClock = createServerClock({
    ...opened,
    skewMs: facts.skewMs,
    clock,
    onSkew: (skewMs) => onSkew?.(skewMs),
  });
  const name = withSession(holder);
  const peers = withPeers && (await openPeers(name, opened).catch(closeAfter(opened)));
  if (withPeers && !peers) withPeers.onPooled();
  const shared = { holder: peers ? name : holder, peers: peers ?? NO_PEERS, leaseClock, isShared: true };
  return createStore(db, clock, createPace(shares), shared, times);
}

const closeAfter =
  ({ db, address }: Awaited<ReturnType<typeof openDatabase>>) =>
  async (error: unknown): Promise<never> => {
    await db.close();
    throw connectError(address.shown, error);
  };

async function openDatabase(url: string, clock: Clock, options: OpenOptions, writing?: Writing) {
  const address = readPostgresAddress(url);
  const { driver, facts } = await openPostgres(address, options);
  const db = createPostgresDb({ driver, address, clock, writing });
  return { driver, address, db, facts };
}

/** For an operator who mistypes the address: nothing is made there, because the copy of nothing would look complete. */
async function openSource(address: string, clock: Clock): Promise<Db> {
  if (isPostgresUrl(address))
    return (await openDatabase(address, clock, { mayPrepare: false }).catch(asMissing(address))).db;
  if ((statSync(address, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw missingSource(`${address} is not there, or empty. Correct the address.`);
  return openFile(address);
}

const asMissing =
  (url: string) =>
  (error: unknown): never => {
    if (!isHostError(error) || error.details?.reason !== 'unprepared') throw error;
    const { shown } = readPostgresAddress(url);
    throw missingSource(
      `the tables of ${shown} are missing or of an earlier release. Correct the address, or run "touchstone store prepare" on that store first.`,
    );
  };

const missingSource = (why: string): HostError =>
  new HostError('validation_error', `There is no store to copy: ${why}`);

async function openTarget(address: string, clock: Clock): Promise<Db> {
  if (isPostgresUrl(address)) return (await openDatabase(address, clock, { isCopyTarget: true })).db;
  return openFile(address, undefined, true);
}

/** Copies everything from one store to another, of any kind, and says of each table whether both hold the same. */
export async function copyStore(from: string, to: string, clock: Clock): Promise<readonly CopiedTable[]> {
  const source = await openSource(from, clock);
  try {
    await checkSource(source, clock.now());
    const target = await openTarget(to, clock);
    try {
      return await copyRows(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** The same store without a file: there is one implementation to trust. */
export const createMemoryStore = (clock: Clock): Promise<Store> => openStore({ file: MEMORY, clock });

/** What a store has to do with the other processes on it. */
type Sharing = {
  /** The name under which leases are held. */
  readonly holder: string;
  readonly peers: Peers;
  /** The same for all processes. */
  readonly leaseClock: LeaseClock;
  readonly isShared: boolean;
};

function createStore(opened: Db, clock: Clock, pace: Pace, sharing: Sharing, times?: StoreTimes): Store {
  const db = times ? timedDb(opened, clock.elapsed, times) : opened;
  const { holder, peers, leaseClock, isShared } = sharing;
  const watchers = shareWatchers(createWatchers(), peers);
  return {
    runs: createRuns(db, watchers, pace),
    leases: createLeases(db, leaseClock, holder, peers),
    log: createRunLog(db, clock, watchers, pace, times?.appended),
    ledger: createLedger(db, clock),
    outcomes: createOutcomes(db),
    suites: createSuites(db),
    agents: createBoundAgents(db),
    packs: createPacks(db),
    memory: createMemory(db),
    responses: createResponses(db),
    annotations: createAnnotations(db, peers),
    baselines: createBaselines(db),
    judges: createJudges(db),
    calibrations: createCalibrations(db),
    webhooks: createWebhooks(db),
    deployments: createDeployments(db),
    audit: createAudit(db),
    keys: createKeys(db),
    sessions: createSessions(db),
    idempotency: createIdempotency(db, holder),
    retention: createRetention(db, clock),
    amounts: createAmounts(db),
    workers: createWorkers(db, leaseClock, holder, peers),
    paces: createPaces(db, leaseClock),
    work: createWork(db, leaseClock, peers),
    assignments: createAssignments(db, leaseClock, holder, peers, pace),
    isShared,
    secret: (name) => secretOf(db, name),
    retain: (owner, kept) => retain(db, owner, kept),
    copyTo: (copy) => db.copyTo(copy),
    ping: () => db.ping(),
    check: () => db.check(),
    maintains: () => peers.holdAlone('maintenance'),
    warnings: () => db.warnings(),
    checkLogs: () => checkLogs(db),
    async close() {
      await peers.close();
      await db.close();
    },
  };
}

const GET_SECRET = 'SELECT secret FROM secrets WHERE name = ?';
const KEEP_SECRET = 'INSERT INTO secrets (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING';

const SECRET_BYTES = 32;

/** The second of two writers stores nothing and reads what the first one stored. */
async function secretOf(db: Db, name: string): Promise<string> {
  const [known] = await db.all(GET_SECRET, [name]);
  if (known) return textAt(known, 'secret');
  const [, found] = await db.transaction([
    { sql: KEEP_SECRET, params: [name, randomBytes(SECRET_BYTES).toString('base64url')] },
    { sql: GET_SECRET, params: [name] },
  ]);
  const [row] = found?.rows ?? [];
  if (!row) throw new Error('A secret was kept and not found.');
  return textAt(row, 'secret');
}
