import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPgbouncer, type Pooler, startPgbouncer } from '../setup/pgbouncer.js';
import { hasPostgres, type Server, startServer } from '../setup/postgres.js';
import { POLL, untilCalled } from './database-host.js';
import { callersIn, clientOf, createOn, debugLog, openFleet } from './fleet-processes.js';
import { callsIn } from './processes.js';

// Goal: hosts and workers behind a pooler in transaction mode do everything that they do without one, a little later. Method: real
// processes, the real PgBouncer, and the log of one host on a file to compare with.
const TASKS = 900;
const WIDE = { configurable: { concurrency: 32 } };

describe.skipIf(!hasPostgres() || !hasPgbouncer())('workers behind a pooler in transaction mode', () => {
  let database: Server;
  let pooler: Pooler;
  beforeAll(async () => {
    database = await startServer({ durable: true });
    pooler = await startPgbouncer(database.url);
  });
  afterAll(async () => {
    await pooler?.stop();
    await database?.stop();
  });

  it('kill -9 of one that executes a part of a run: others go on, and the log is that of one host on a file', async () => {
    const fleet = openFleet(database, { tasks: TASKS, delayMs: 200 }, `${pooler.url}?prepare=false`);
    try {
      const door = await fleet.door();
      const [one] = await fleet.workers('one', 'two');
      const runId = await createOn(door, WIDE);
      await untilCalled(fleet.calls, 1);
      const callers = () => new Set(callersIn(fleet.calls).map(({ caller }) => caller)).size;
      await expect.poll(callers, POLL).toBe(2);
      if (one) await fleet.stop(one);
      await clientOf(door).waitForScorecard(runId);
      expect(new Set(callsIn(fleet.calls).map(({ ordinal }) => ordinal)).size).toBe(TASKS);
      expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
    } finally {
      await fleet.close();
    }
  });
});
