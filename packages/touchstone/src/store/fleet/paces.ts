import type { BucketLimits, Clock, Paces, Portion } from '../../ports/index.js';
import type { Db, Row } from '../db.js';
import { numberAt } from '../rows.js';

const HOLD = `INSERT INTO paces (name, held_until, refusals, used_at) VALUES (?, ?, 0, ?)
  ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at,
    held_until = CASE WHEN paces.held_until > excluded.held_until THEN paces.held_until ELSE excluded.held_until END`;
const REFUSED = `INSERT INTO paces (name, held_until, refusals, used_at) VALUES (?, 0, 1, ?)
  ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at,
    refusals = CASE WHEN paces.refusals = ? THEN paces.refusals + 1 ELSE paces.refusals END
  RETURNING refusals`;
const READ = 'SELECT held_until, refusals FROM paces WHERE name = ?';

/** Placeholders: now, tokens for each millisecond, the most that the bucket holds. Clocks that differ do not fill it. */
const GROWN =
  'buckets.tokens + (CASE WHEN ? > buckets.at THEN ? - buckets.at ELSE 0 END) * CAST(? AS DOUBLE PRECISION)';
const FILLED = `(CASE WHEN ${GROWN} > ? THEN ? ELSE ${GROWN} END)`;
const TAKEN = `(CASE WHEN ${FILLED} < 1 THEN 0 WHEN ${FILLED} < ? THEN ${FILLED} ELSE ? END)`;
const TAKE = `INSERT INTO buckets (name, tokens, taken, at) VALUES (?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET tokens = ${FILLED} - ${TAKEN}, taken = ${TAKEN},
    at = CASE WHEN excluded.at > buckets.at THEN excluded.at ELSE buckets.at END
  RETURNING tokens, taken`;

const SWEEP = ['DELETE FROM paces WHERE used_at < ? AND held_until < ?', 'DELETE FROM buckets WHERE at < ?'];
const FORGOTTEN_MS = 3_600_000;
const MINUTE_MS = 60_000;

export function createPaces(db: Db, clock: Pick<Clock, 'now'>): Paces {
  const write = async (sql: string, params: readonly (string | number)[]): Promise<Row | undefined> => {
    const [outcome] = await db.transaction([{ sql, params }], String(params[0]));
    return outcome?.rows[0];
  };
  return {
    async hold(name, ms) {
      await write(HOLD, [name, clock.now() + Math.ceil(ms), clock.now()]);
    },
    async refused(name, known) {
      const row = await write(REFUSED, [name, clock.now(), known]);
      return row ? numberAt(row, 'refusals') : known;
    },
    async read(name) {
      const [row] = await db.all(READ, [name]);
      if (!row) return { heldForMs: 0, refusals: 0 };
      const heldForMs = Math.max(0, numberAt(row, 'held_until') - clock.now());
      return { heldForMs, refusals: numberAt(row, 'refusals') };
    },
    async take(name, limits, wanted) {
      const row = await write(TAKE, takeParams(name, limits, wanted, clock.now()));
      return row
        ? portionOf(numberAt(row, 'taken'), numberAt(row, 'tokens'), limits)
        : { taken: 0, waitMs: 0 };
    },
    async sweep() {
      const before = clock.now() - FORGOTTEN_MS;
      const [paces = '', buckets = ''] = SWEEP;
      await db.transaction([
        { sql: paces, params: [before, before] },
        { sql: buckets, params: [before] },
      ]);
    },
  };
}

/** A new bucket is full. */
function takeParams(name: string, limits: BucketLimits, wanted: number, now: number) {
  const { perMinute, atOnce } = limits;
  const first = Math.min(wanted, atOnce);
  const grown = [now, now, perMinute / MINUTE_MS];
  const filled = [...grown, atOnce, atOnce, ...grown];
  const taken = [...filled, ...filled, wanted, ...filled, wanted];
  return [name, atOnce - first, first, now, ...filled, ...taken, ...taken];
}

/** Of what is left in a bucket after a take. */
const portionOf = (taken: number, left: number, { perMinute }: BucketLimits): Portion => ({
  taken,
  waitMs: taken > 0 ? 0 : Math.ceil(((1 - left) * MINUTE_MS) / perMinute),
});
