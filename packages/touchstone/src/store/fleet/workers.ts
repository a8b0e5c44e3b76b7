import { asId, type Digest } from '@touchstone/protocol';
import type { Clock, WorkerRow, Workers } from '../../ports/index.js';
import type { Db, Row } from '../db.js';
import type { Peers } from '../peers.js';
import { numberAt, textAt } from '../rows.js';

const BEAT = `INSERT INTO workers (worker, environment, version, at_work, beat_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (worker) DO UPDATE SET environment = excluded.environment, version = excluded.version,
    at_work = excluded.at_work, beat_at = excluded.beat_at`;
const LEAVE = 'DELETE FROM workers WHERE worker = ?';
const CLEAR = 'DELETE FROM workers WHERE beat_at < ?';
const LIST =
  'SELECT worker, environment, version, at_work, beat_at FROM workers WHERE beat_at >= ? ORDER BY worker';
/** Those with the least to do, as far as they have told; which of several is a matter of chance. */
const IDLEST = `SELECT worker FROM workers WHERE environment = ? AND beat_at >= ? AND worker <> ?
  AND at_work = (SELECT MIN(at_work) FROM workers WHERE environment = ? AND beat_at >= ? AND worker <> ?)
  ORDER BY RANDOM() LIMIT ?`;
const COUNT = 'SELECT COUNT(*) AS found FROM workers WHERE beat_at >= ?';
const WAITING = `SELECT COUNT(*) AS found FROM runs WHERE origin = 'host' AND status IN ('pending', 'running')
  AND (lease_holder IS NULL OR lease_until < ?)`;

/** Beats come every few seconds; who has missed several is not there. */
const ALIVE_MS = 20_000;
const FORGOTTEN_MS = 3_600_000;
const QUEUE = 'workers';

export function createWorkers(
  db: Db,
  clock: Pick<Clock, 'now'>,
  name: string,
  { presence }: Pick<Peers, 'presence'>,
): Workers {
  return {
    presence,
    async beat({ environment, version, atWork }) {
      const now = clock.now();
      await db.transaction([{ sql: BEAT, params: [name, environment, version, atWork, now] }], QUEUE);
    },
    async leave() {
      await db.transaction([{ sql: LEAVE, params: [name] }], QUEUE);
    },
    async list() {
      return (await db.all(LIST, [clock.now() - ALIVE_MS])).map(toWorker);
    },
    async sweep() {
      await db.transaction([{ sql: CLEAR, params: [clock.now() - FORGOTTEN_MS] }], QUEUE);
    },
    async waitingRuns() {
      const [row] = await db.all(WAITING, [clock.now()]);
      return row ? numberAt(row, 'found') : 0;
    },
  };
}

const toWorker = (row: Row): WorkerRow => ({
  name: shownName(textAt(row, 'worker')),
  beatAt: numberAt(row, 'beat_at'),
  environment: asId<Digest>(textAt(row, 'environment')),
  version: textAt(row, 'version'),
  atWork: numberAt(row, 'at_work'),
});

/** A holder is named `machine|space|pid|start`, of which people need two. */
function shownName(holder: string): string {
  const [machine = '', , pid = ''] = holder.split('|');
  return `${machine}:${pid}`;
}

/** A few processes are all told of a run that waits: whoever is free takes it. */
const FEW = 4;
/** Two, so that it costs nothing when one of them has just ended. */
const TOLD = 2;

/**
 * Whom to tell that a run of an environment waits, so that a large fleet is not woken for one run; undefined for all of them. Those
 * who are not told look by themselves every second.
 */
export async function workersToTell(
  db: Pick<Db, 'all'>,
  now: number,
  name: string,
  environment: Digest,
): Promise<readonly string[] | undefined> {
  const since = now - ALIVE_MS;
  const [row] = await db.all(COUNT, [since]);
  if (!row || numberAt(row, 'found') <= FEW) return undefined;
  const params = [environment, since, name, environment, since, name, TOLD];
  const idlest = (await db.all(IDLEST, params)).map((one) => textAt(one, 'worker'));
  return idlest.length === 0 ? undefined : idlest;
}
