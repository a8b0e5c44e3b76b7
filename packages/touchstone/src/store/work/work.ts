import {
  type Lease,
  LeaseLost,
  type OpenWork,
  type OrdinalRange,
  type Work,
  type WorkPlan,
  type WorkStop,
} from '../../ports/index.js';
import { type Db, GuardFailed, type Outcome, type Row, type SqlValue, type Statement } from '../db.js';
import { endingLock } from '../log/commit.js';
import { keepTrying } from '../log/keep-trying.js';
import type { LeaseClock } from '../log/lease-clock.js';
import { OWNED_RUN, runKey } from '../log/page-rows.js';
import type { Peers } from '../peers.js';
import { numberAt, textAt, toSealedUnit } from '../rows.js';

/** A write of the row, so that no other driver takes the lease before the batch has ended. */
const FENCE = `UPDATE runs SET lease_token = lease_token
  WHERE run_id = ? AND tenant = ? AND workspace = ? AND lease_token = ?`;
const RUN_NO = `(SELECT u.run_no FROM runs u WHERE ${OWNED_RUN})`;
const FIND = `SELECT w.epoch, w.stop, w.first_unit,
    (SELECT COALESCE(SUM(a.slots), 0) FROM assignments a WHERE a.run_no = w.run_no) AS slots
  FROM work w WHERE w.run_no = ${RUN_NO}`;
const OPEN = `INSERT INTO work (run_no, epoch, first_unit, units, has_sealed, ceiling_usd, environment)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const ASSIGN = `INSERT INTO assignments (run_no, place, epoch, slots, token, since) VALUES (?, ?, ?, ?, 0, ?)`;
const GRANT = 'UPDATE assignments SET slots = ? WHERE run_no = ? AND place = ?';
const STOP = 'UPDATE work SET stop = ? WHERE run_no = ? AND stop IS NULL';
const END = ['work', 'assignments'].map((table) => `DELETE FROM ${table} WHERE run_no = ?`);
const FORGET_CLAIMS = 'DELETE FROM claims WHERE run_no = ?';
const STATE = `SELECT u.spent_usd, w.epoch, w.stop FROM runs u LEFT JOIN work w ON w.run_no = u.run_no
  WHERE ${OWNED_RUN}`;
const CLAIMS = `SELECT first_unit, units FROM claims WHERE run_no = ${RUN_NO} AND epoch = ? AND first_unit > ?
  ORDER BY first_unit`;

/** Ranges of one question. The texts are two, however many ranges there are; an empty one fills the rest. */
const RANGES = [8, 64] as const;
const NO_RANGE: OrdinalRange = [1, 0];
/** A question of its own for each range, which goes by the index: alternatives in one question read all records of the run. */
const SEALED_RANGE = `SELECT ordinal, repeat, score, event_count, sealed_at FROM records
  WHERE run_no = (SELECT run_no FROM run) AND ordinal BETWEEN ? AND ?`;
const SEALED = RANGES.map((size) => ({
  size,
  sql: `WITH run AS (SELECT ${RUN_NO} AS run_no) ${new Array(size).fill(SEALED_RANGE).join(' UNION ALL ')}`,
}));

export function createWork(db: Db, clock: LeaseClock, peers: Peers): Work {
  const find = async (lease: Lease): Promise<Row | undefined> =>
    (await keepTrying(clock, () => db.all(FIND, keyOf(lease))))[0];
  const fenced = (lease: Lease, batch: readonly Statement[], endsSeals = false): Promise<unknown> =>
    keepTrying(clock, () => fencedBatch(db, lease, batch, endsSeals)).catch((error) => {
      throw error instanceof GuardFailed ? new LeaseLost(lease.runId) : error;
    });
  const end = async (lease: Lease): Promise<void> => {
    const params = [lease.runNo];
    await fenced(
      lease,
      END.map((sql) => ({ sql, params })),
      true,
    );
    peers.notify('work', lease.runId);
    // They may be many, and nobody waits for them: claims of an epoch that is over count for nothing.
    await keepTrying(clock, () => db.transaction([{ sql: FORGET_CLAIMS, params }], lease.runId));
  };
  return {
    async open(lease, plan) {
      const found = await find(lease);
      if (found && found.stop !== 'drain') return { epoch: numberAt(found, 'epoch'), ...stopOf(found) };
      await end(lease);
      await fenced(lease, openingOf(lease, plan, clock.now())).catch(async (error) => {
        // A first try whose confirmation was lost may have taken effect.
        if ((await find(lease))?.epoch !== lease.token) throw error;
      });
      return { epoch: lease.token };
    },
    async find(lease) {
      const found = await find(lease);
      return found && toOpenWork(found);
    },
    async grant(lease, slots) {
      const grants = slots.map((count, place) => ({ sql: GRANT, params: [count, lease.runNo, place] }));
      await fenced(lease, grants);
      peers.notify('work', lease.runId);
    },
    async drain(lease) {
      await fenced(lease, [{ sql: STOP, params: ['drain' satisfies WorkStop, lease.runNo] }]);
      peers.notify('work', lease.runId);
    },
    end,
    async news(lease, epoch, afterClaim) {
      // In this order: what was claimed before the state was read is among the claims.
      const [state] = await keepTrying(clock, () => db.all(STATE, keyOf(lease)));
      const claims = await keepTrying(clock, () => db.all(CLAIMS, [...keyOf(lease), epoch, afterClaim]));
      return {
        spentUsd: state ? numberAt(state, 'spent_usd') : 0,
        ...(state?.epoch != null && { epoch: numberAt(state, 'epoch'), ...stopOf(state) }),
        claims: claims.map((row) => ({ first: numberAt(row, 'first_unit'), count: numberAt(row, 'units') })),
      };
    },
    sealed: (lease, ranges) => readSealed(db, clock, lease, ranges),
  };
}

const keyOf = ({ owner, runId }: Lease) => runKey(owner, runId);

const toOpenWork = (row: Row): OpenWork => ({
  epoch: numberAt(row, 'epoch'),
  firstUnit: numberAt(row, 'first_unit'),
  slots: numberAt(row, 'slots'),
  ...stopOf(row),
});

export const stopOf = (row: Row): { readonly stop?: WorkStop } =>
  row.stop == null ? {} : { stop: textAt(row, 'stop') as WorkStop };

function fencedBatch(
  db: Db,
  lease: Lease,
  batch: readonly Statement[],
  endsSeals: boolean,
): Promise<readonly Outcome[]> {
  const lock = endsSeals ? { lock: { key: endingLock(lease.runNo) } } : {};
  const fence = { sql: FENCE, params: [...keyOf(lease), lease.token], guard: true, ...lock } as const;
  return db.transaction([fence, ...batch], lease.runId);
}

function openingOf({ runNo, token }: Lease, plan: WorkPlan, now: number): readonly Statement[] {
  const { firstUnit, units, hasSealed, slots, ceilingUsd = null, environment = null } = plan;
  const values: readonly SqlValue[] = [firstUnit, units, hasSealed ? 1 : 0, ceilingUsd, environment];
  return [
    { sql: OPEN, params: [runNo, token, ...values] },
    ...slots.map((count, place) => ({ sql: ASSIGN, params: [runNo, place, token, count, now] })),
  ];
}

async function readSealed(db: Db, clock: LeaseClock, lease: Lease, ranges: readonly OrdinalRange[]) {
  const found: Row[] = [];
  for (let at = 0; at < ranges.length; ) {
    const { size, sql } = SEALED.find((one) => one.size >= ranges.length - at) ?? (SEALED.at(-1) as Question);
    const asked = ranges.slice(at, at + size);
    const filled = [...asked, ...new Array<OrdinalRange>(size - asked.length).fill(NO_RANGE)];
    found.push(...(await keepTrying(clock, () => db.all(sql, [...keyOf(lease), ...filled.flat()]))));
    at += size;
  }
  return found.map(toSealedUnit);
}

type Question = (typeof SEALED)[number];
