import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Line, openLine } from '../setup/line.js';
import { hasPostgres, queryPostgres, type Server, startServer } from '../setup/postgres.js';
import { POLL, untilCalled } from './database-host.js';
import { callersIn, clientOf, createOn, debugLog, type Fleet, openFleet } from './fleet-processes.js';
import { callsIn, runCli } from './processes.js';

// Goal: a worker that has lost the one connection by which the others see that it lives, and no other, does not go on beside those who
// have taken over its work. Method: real processes; a line in between ends just that connection, and every one that would replace it.
const TASKS = 1_000;
const WIDE = { configurable: { concurrency: 32 } };

describe.skipIf(!hasPostgres())('a worker whose session is lost', () => {
  let database: Server;
  let fleet: Fleet;
  let line: Line;
  beforeAll(async () => {
    database = await startServer({ durable: true });
  });
  afterAll(() => database?.stop());
  beforeEach(async () => {
    fleet = openFleet(database, { tasks: TASKS, delayMs: 300 });
    line = await openLine(Number(new URL(database.url).port));
  });
  afterEach(async () => {
    await fleet.close();
    await line.close();
  });

  const behindLine = (): string => {
    const url = new URL(fleet.url);
    url.port = String(line.port);
    return url.href;
  };
  const callsOf = (name: string): number =>
    callersIn(fleet.calls).filter(({ caller }) => caller === name).length;
  const holders = async (): Promise<readonly string[]> =>
    (await queryPostgres(fleet.url, 'SELECT DISTINCT holder FROM assignments')).map((row) =>
      String(row.holder),
    );

  it('begins nothing while the others have its work, and takes its part again when they see it', async () => {
    const door = await fleet.door();
    const one = await fleet.worker('one', { env: { DATABASE_URL: behindLine() } });
    await fleet.worker('two');
    const runId = await createOn(door, WIDE);
    const isOne = (holder: string) => holder.includes(`|${one.child.pid}|`);
    await expect.poll(async () => (await holders()).some(isOne), POLL).toBe(true);
    await untilCalled(fleet.calls, 100);
    line.deafen();
    await expect.poll(async () => (await holders()).some(isOne), POLL).toBe(false);
    const [before, all] = [callsOf('one'), callsIn(fleet.calls).length];
    await untilCalled(fleet.calls, all + 200);
    expect(callsOf('one')).toBe(before);
    line.mend();
    await expect.poll(() => callsOf('one'), POLL).toBeGreaterThan(before);
    await clientOf(door).waitForScorecard(runId);
    expect(await debugLog(door, runId)).toEqual(await fleet.calmLog(WIDE));
  });

  it('cannot be started while no session lasts, and says so', async () => {
    await fleet.door();
    line.deafen();
    const env = { ...fleet.env('one'), DATABASE_URL: behindLine() };
    const { code, stderr } = await runCli(['worker', '--data', 'one', '--health', '0'], fleet.folder, env);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Check that the server runs and can be reached.'),
    });
  });
});
