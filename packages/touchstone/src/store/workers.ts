import { asId, type Digest } from '@touchstone/protocol';
import type { Clock, Worker, Workers } from '../ports/index.js';
import type { Db, Row } from './db.js';
import { numberAt, textAt } from './rows.js';

const BEAT = `INSERT INTO workers (worker, environment, version, at_work, beat_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (worker) DO UPDATE SET environment = excluded.environment, version = excluded.version,
    at_work = excluded.at_work, beat_at = excluded.beat_at`;
const LEAVE = 'DELETE FROM workers WHERE worker = ?';
const CLEAR = 'DELETE FROM workers WHERE beat_at < ?';
const LIST = 'SELECT environment, version, at_work FROM workers WHERE beat_at >= ? ORDER BY worker';
const WAITING = `SELECT COUNT(*) AS found FROM runs WHERE origin = 'host' AND status IN ('pending', 'running')
  AND (lease_holder IS NULL OR lease_until < ?)`;

/** Beats come every few seconds; who has missed several is not there. */
const ALIVE_MS = 20_000;
const FORGOTTEN_MS = 3_600_000;
const QUEUE = 'workers';

export function createWorkers(db: Db, clock: Pick<Clock, 'now'>, name: string): Workers {
  return {
    async beat({ environment, version, atWork }) {
      const now = clock.now();
      const beat = { sql: BEAT, params: [name, environment, version, atWork, now] };
      await db.transaction([beat, { sql: CLEAR, params: [now - FORGOTTEN_MS] }], QUEUE);
    },
    async leave() {
      await db.transaction([{ sql: LEAVE, params: [name] }], QUEUE);
    },
    async list() {
      return (await db.all(LIST, [clock.now() - ALIVE_MS])).map(toWorker);
    },
    async waitingRuns() {
      const [row] = await db.all(WAITING, [clock.now()]);
      return row ? numberAt(row, 'found') : 0;
    },
  };
}

const toWorker = (row: Row): Worker => ({
  environment: asId<Digest>(textAt(row, 'environment')),
  version: textAt(row, 'version'),
  atWork: numberAt(row, 'at_work'),
});
