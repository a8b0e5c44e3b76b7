import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { asId, type Owner, type RunId } from '@touchstone/protocol';
import type { Lease, Leases } from '../../ports/index.js';
import { type Db, lockKey, type Row, type Statement } from '../db.js';
import { workersToTell } from '../fleet/workers.js';
import type { Peers } from '../peers.js';
import { numberAt, textAt } from '../rows.js';
import { keepTrying } from './keep-trying.js';
import type { LeaseClock } from './lease-clock.js';

const OF_RUN = 'WHERE run_id = ? AND tenant = ? AND workspace = ?';
/** What tells whether a run waits although its driver is gone. */
const LOSSES = 'control_kind, lost_drives, lost_at_event, event_count';
const READ = `SELECT run_no, lease_token, lease_holder, lease_until FROM runs ${OF_RUN}`;

/** Succeeds only if the lease is as it was read: another taker has a newer token, a late renewal a newer end. */
const takeAnd = (also: string): string => `UPDATE runs
  SET lease_token = lease_token + 1, lease_holder = ?, lease_until = ?${also}
  ${OF_RUN} AND lease_token = ? AND COALESCE(lease_until, 0) = ?`;
const TAKE = takeAnd('');
/** The last holder has not let go, so it was lost while it drove the run. It is counted where the log has not grown since the last loss. */
const TAKE_LOST = takeAnd(`,
  lost_drives = CASE WHEN lost_at_event = event_count THEN lost_drives + 1 ELSE 1 END, lost_at_event = event_count`);
const LOST = `SELECT ${LOSSES} FROM runs ${OF_RUN}`;

const RENEW = `UPDATE runs SET lease_until = ?
  WHERE run_id = ? AND tenant = ? AND workspace = ? AND lease_token = ?`;

/** The token moves on here too, so that a write which comes after the release is fenced like one after a takeover. */
const RELEASE = `UPDATE runs SET lease_token = lease_token + 1, lease_holder = NULL, lease_until = NULL
  WHERE run_id = ? AND tenant = ? AND workspace = ? AND lease_token = ?`;

const COLUMNS = `r.run_no, r.run_id, r.tenant, r.workspace, r.lease_holder, ${LOSSES}`;
/** In the words of the index `runs_unfinished`. */
const UNFINISHED = `r.origin = 'host' AND r.status IN ('pending', 'running', 'cancelling', 'paused')`;
const AT_WORK = `${UNFINISHED} AND (r.status <> 'paused' OR r.control_kind = 'pause')`;
const OVERDUE = `r.origin = 'host' AND r.status IN ('waiting-approval', 'waiting-input', 'waiting-external')
  AND r.wait_until <= ?`;
const FREE = '(r.lease_holder IS NULL OR r.lease_until < ?)';
const HELD = 'r.lease_holder IS NOT NULL AND r.lease_until >= ? AND r.lease_holder <> ?';

const nextTenant = (beyond: string): string =>
  `(SELECT r.tenant FROM runs r WHERE ${UNFINISHED}${beyond} ORDER BY r.tenant LIMIT 1)`;
const nextFree = (tenant: string, beyond = ''): string => `(SELECT r.run_no FROM runs r
    WHERE ${AT_WORK} AND r.tenant = ${tenant}${beyond} AND ${FREE} ORDER BY r.run_no LIMIT 1)`;
/**
 * Of the free ones each tenant's oldest: one tenant with many runs that wait must not hide the runs of another. They are found step
 * by step along an index, from tenant to tenant and from run to run, so that a long line is not read. And all that others hold, at
 * place 0. One statement, because processes that share a store ask it every second.
 */
const FREE_OR_HELD = `WITH RECURSIVE
  tenants (tenant) AS (
    SELECT ${nextTenant('')}
    UNION ALL SELECT ${nextTenant(' AND r.tenant > t.tenant')} FROM tenants t WHERE t.tenant IS NOT NULL
  ),
  heads (tenant, run_no, place) AS (
    SELECT t.tenant, ${nextFree('t.tenant')}, 1 FROM tenants t WHERE t.tenant IS NOT NULL
    UNION ALL SELECT h.tenant, ${nextFree('h.tenant', ' AND r.run_no > h.run_no')}, h.place + 1
      FROM heads h WHERE h.run_no IS NOT NULL AND h.place < ?
  )
  SELECT ${COLUMNS}, h.place FROM heads h JOIN runs r ON r.run_no = h.run_no
  UNION ALL SELECT ${COLUMNS}, 1 AS place FROM runs r WHERE ${OVERDUE} AND ${FREE}
  UNION ALL SELECT ${COLUMNS}, 0 AS place FROM runs r WHERE ${AT_WORK} AND ${HELD}
  UNION ALL SELECT ${COLUMNS}, 0 AS place FROM runs r WHERE ${OVERDUE} AND ${HELD}
  ORDER BY place, run_no`;
/** Of runs that execute something. One query for all tenants, and one for a tenant. */
const LEASED = `FROM runs WHERE origin = 'host' AND status IN ('pending', 'running', 'cancelling', 'paused')
  AND lease_holder IS NOT NULL AND lease_until >= ?`;
const LEASES_OF_TENANT = `(SELECT COUNT(*) ${LEASED} AND tenant = ?)`;
const FULL_TENANTS = `SELECT tenant ${LEASED} GROUP BY tenant HAVING COUNT(*) >= ?`;

export function createLeases(db: Db, clock: LeaseClock, holder: string, peers: Peers): Leases {
  const isLost = (one: string): boolean => isGone(one) || peers.isGone(one);
  const fenced = async (sql: string, lease: Lease, values: readonly number[]): Promise<boolean> => {
    const key = [lease.runId, lease.owner.tenant, lease.owner.workspace, lease.token];
    const [outcome] = await db.transaction([{ sql, params: [...values, ...key] }], lease.runId);
    return outcome?.changes === 1;
  };
  return {
    take: (owner, runId, ttlMs, most) =>
      take(db, { owner, runId, holder, now: clock.now(), ttlMs, most, isLost }),
    renew(lease, ttlMs) {
      clock.measure();
      return fenced(RENEW, lease, [clock.now() + ttlMs]);
    },
    // Released twice is released: the token has moved on.
    async release(lease) {
      await keepTrying(clock, () => fenced(RELEASE, lease, []));
    },
    async adoptable(perTenant, most) {
      const now = clock.now();
      const rows = await db.all(FREE_OR_HELD, lookParams(now, perTenant, holder));
      const held = rows.filter(({ place }) => place === 0);
      const free = rows.slice(held.length);
      await peers.look(held.map((row) => textAt(row, 'lease_holder')));
      const lost = held.filter(heldBy(isLost)).filter((row) => !isLostAgain(row));
      const found = [...free, ...lost];
      // Most looks find nothing, and ask no more.
      const full = most === undefined || found.length === 0 ? [] : await db.all(FULL_TENANTS, [now, most]);
      const fullTenants = new Set(full.map((row) => textAt(row, 'tenant')));
      const mayGoOn = (row: Row) => !fullTenants.has(textAt(row, 'tenant')) || row.control_kind !== null;
      return firstOfEach(perTenant, found.filter(mayGoOn)).map(toAdoptable);
    },
    offer(runId, environment) {
      const told = environment ? workersToTell(db, clock.now(), holder, environment) : undefined;
      // Who cannot ask tells everybody, who looks in any case.
      void Promise.resolve(told)
        .catch(() => undefined)
        .then((to) => peers.notify('drive', runId, '', to));
    },
    watchOffers: (listener) => peers.listen('drive', listener),
  };
}

const lookParams = (now: number, perTenant: number, holder: string): readonly (string | number)[] => [
  ...[now, now, perTenant],
  ...[now, now],
  ...[now, holder],
  ...[now, now, holder],
];

function firstOfEach(perTenant: number, rows: readonly Row[]): readonly Row[] {
  const count = new Map<string, number>();
  return rows.filter((row) => {
    const tenant = textAt(row, 'tenant');
    const place = (count.get(tenant) ?? 0) + 1;
    count.set(tenant, place);
    return place <= perTenant;
  });
}

type Taker = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly holder: string;
  readonly now: number;
  readonly ttlMs: number;
  readonly most: number | undefined;
  readonly isLost: (holder: string) => boolean;
};

async function take(db: Db, taker: Taker): Promise<Lease | undefined> {
  const { owner, runId, holder, now, ttlMs, most } = taker;
  const key = [runId, owner.tenant, owner.workspace];
  const [row] = await db.all(READ, key);
  if (!row || !(await isFree(db, row, taker))) return undefined;
  const token = numberAt(row, 'lease_token');
  const isLost = row.lease_holder !== null;
  const params = [holder, now + ttlMs, ...key, token, row.lease_until ?? 0];
  const taking = { sql: isLost ? TAKE_LOST : TAKE, params };
  const [outcome] = await db.transaction(
    [most === undefined ? taking : withinMost(taking, taker, most)],
    runId,
  );
  if (outcome?.changes !== 1) return undefined;
  const [counted] = isLost ? await db.all(LOST, key) : [];
  const lostDrives = counted ? numberAt(counted, 'lost_drives') : 0;
  return { runId, owner, token: token + 1, runNo: numberAt(row, 'run_no'), lostDrives };
}

/** One taker of the tenant after the other, so that each counts the leases of those before. */
const withinMost = ({ sql, params }: Statement, { owner, now }: Taker, most: number): Statement => ({
  sql: `${sql} AND ${LEASES_OF_TENANT} < ?`,
  params: [...params, now, owner.tenant, most],
  lock: { key: lockKey('leases', owner.tenant) },
});

async function isFree(db: Db, row: Row, { owner, runId, now, isLost }: Taker): Promise<boolean> {
  if (row.lease_holder === null || numberAt(row, 'lease_until') < now) return true;
  if (!isLost(textAt(row, 'lease_holder'))) return false;
  const [losses] = await db.all(LOST, [runId, owner.tenant, owner.workspace]);
  return losses !== undefined && !isLostAgain(losses);
}

/** So many losses in a row come from outside more often than from the run: hosts are killed several at a time. */
const AT_ONCE = 3;

/**
 * Whether the run has lost so many drivers at one place that the next one waits until the lease has run out. Losses that follow
 * each other tell little about the run: what kills hosts one after the other is over after a while, a task that does it is not.
 * A run that only has to stop executes nothing, and waits for nothing.
 */
const isLostAgain = (row: Row): boolean =>
  row.control_kind === null &&
  row.lost_at_event !== null &&
  numberAt(row, 'lost_at_event') === numberAt(row, 'event_count') &&
  numberAt(row, 'lost_drives') >= AT_ONCE;

/** Asks the system once per holder: one dead process may have left hundreds of runs. */
function heldBy(isLost: (holder: string) => boolean): (row: Row) => boolean {
  const known = new Map<string, boolean>();
  return (row) => {
    const holder = textAt(row, 'lease_holder');
    const lost = known.get(holder) ?? isLost(holder);
    known.set(holder, lost);
    return lost;
  };
}

const toAdoptable = (row: Row) => ({
  owner: { tenant: textAt(row, 'tenant'), workspace: textAt(row, 'workspace') },
  runId: asId<RunId>(textAt(row, 'run_id')),
});

// A lease names its holder as `machine|pid|start`, so that another process can see that the holder was killed and need
// not wait for the lease to run out. `start` tells a process from a later one with its number.

/** The name under which this process holds leases. */
export function processHolder(): string {
  return [machine(), process.pid, processStart(process.pid) ?? ''].join('|');
}

/** True only when the holder was a process of this machine and surely is no more. */
export function isGone(holder: string): boolean {
  const [host, space, pid, start] = holder.split('|');
  if (pid === undefined || `${host}|${space}` !== machine() || !/^\d+$/.test(pid)) return false;
  if (!isAlive(Number(pid))) return true;
  const seen = processStart(Number(pid));
  return seen !== undefined && start !== '' && seen !== start;
}

/** Host and process-number space: containers may share a host name, but then they do not share their numbers. */
function machine(): string {
  return `${hostname().replaceAll('|', '')}|${orUndefined(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Ticks from boot to the process's start, or `ended` for one that only waits to be collected; Linux only. */
function processStart(pid: number): string | undefined {
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
