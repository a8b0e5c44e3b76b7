import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { asId, type Owner, type RunId } from '@touchstone/protocol';
import type { Lease, Leases } from '../../ports/index.js';
import { type Db, lockKey, type Row, type Statement } from '../db.js';
import type { Peers } from '../peers.js';
import { numberAt, textAt } from '../rows.js';
import { keepTrying } from './keep-trying.js';
import type { LeaseClock } from './lease-clock.js';

const OF_RUN = 'WHERE run_id = ? AND tenant = ? AND workspace = ?';
const READ = `SELECT run_no, lease_token, lease_holder, lease_until FROM runs ${OF_RUN}`;

/** Succeeds only if the lease is as it was read: another taker has a newer token, a late renewal a newer end. */
const takeAnd = (also: string): string => `UPDATE runs
  SET lease_token = lease_token + 1, lease_holder = ?, lease_until = ?${also}
  ${OF_RUN} AND lease_token = ? AND COALESCE(lease_until, 0) = ?`;
const TAKE = takeAnd('');
/** The last holder has not let go, so it was lost while it drove the run. It is counted where the log has not grown since the last loss. */
const TAKE_LOST = takeAnd(`,
  lost_drives = CASE WHEN lost_at_event = event_count THEN lost_drives + 1 ELSE 1 END, lost_at_event = event_count`);
const LOST = `SELECT lost_drives FROM runs ${OF_RUN}`;

const RENEW = `UPDATE runs SET lease_until = ?
  WHERE run_id = ? AND tenant = ? AND workspace = ? AND lease_token = ?`;

/** The token moves on here too, so that a write which comes after the release is fenced like one after a takeover. */
const RELEASE = `UPDATE runs SET lease_token = lease_token + 1, lease_holder = NULL, lease_until = NULL
  WHERE run_id = ? AND tenant = ? AND workspace = ? AND lease_token = ?`;

const HOST_RUNS = `SELECT run_no, run_id, tenant, workspace, lease_holder, control_kind
  FROM runs WHERE origin = 'host'`;
const AT_WORK = `${HOST_RUNS} AND status IN ('pending', 'running', 'cancelling', 'paused')
  AND (status <> 'paused' OR control_kind = 'pause')`;
const OVERDUE = `${HOST_RUNS} AND status IN ('waiting-approval', 'waiting-input', 'waiting-external')
  AND wait_until <= ?`;
/** Two queries, because each uses another index. */
const unfinished = (lease: string): string =>
  `${AT_WORK} AND ${lease} UNION ALL ${OVERDUE} AND ${lease} ORDER BY run_no`;
/** Each tenant's oldest: one tenant with many runs that wait must not hide the runs of another. */
const FREE = `SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY run_no) AS place
    FROM (${unfinished('(lease_holder IS NULL OR lease_until < ?)')}) AS free
  ) AS placed WHERE place <= ? ORDER BY place, run_no`;
/** Of runs that execute something. One query for all tenants, and one for a tenant. */
const LEASED = `FROM runs WHERE origin = 'host' AND status IN ('pending', 'running', 'cancelling', 'paused')
  AND lease_holder IS NOT NULL AND lease_until >= ?`;
const LEASES_OF_TENANT = `(SELECT COUNT(*) ${LEASED} AND tenant = ?)`;
const FULL_TENANTS = `SELECT tenant ${LEASED} GROUP BY tenant HAVING COUNT(*) >= ?`;
const HELD_BY_OTHERS = unfinished('lease_until >= ? AND lease_holder <> ?');

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
      const full = most === undefined ? [] : await db.all(FULL_TENANTS, [now, most]);
      const fullTenants = new Set(full.map((row) => textAt(row, 'tenant')));
      const mayGoOn = (row: Row) => !fullTenants.has(textAt(row, 'tenant')) || row.control_kind !== null;
      const free = await db.all(FREE, [now, now, now, perTenant]);
      const held = await db.all(HELD_BY_OTHERS, [now, holder, now, now, holder]);
      await peers.look(held.map((row) => textAt(row, 'lease_holder')));
      const found = [...free, ...held.filter(heldBy(isLost))].filter(mayGoOn);
      return firstOfEach(perTenant, found).map(toAdoptable);
    },
    offer: (runId) => peers.notify('drive', runId),
    watchOffers: (listener) => peers.listen('drive', listener),
  };
}

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
  if (!row || !isFree(row, taker)) return undefined;
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

const isFree = (row: Row, { now, isLost }: Pick<Taker, 'now' | 'isLost'>): boolean =>
  row.lease_holder === null || numberAt(row, 'lease_until') < now || isLost(textAt(row, 'lease_holder'));

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
