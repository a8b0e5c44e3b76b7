import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventsOf, readJson } from './pack-host.js';
import {
  begin,
  command,
  goldens,
  installSuite,
  openRunHost,
  type RunHost,
  untilDone,
  untilEvent,
} from './run-host.js';

// Goal: what a reader is told about a pause is what the log says. Method: a real agent that keeps a task until the test
// lets it go, so that a pause drains for as long as the test looks at it.
const SUITE = 'local.test.evals.draining';
let setup: RunHost;
beforeAll(async () => {
  setup = await openRunHost();
  const tasks = goldens(3, (index) => (index === 1 ? { hold: true } : {}));
  await installSuite(setup.host, { suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks });
});
afterAll(() => setup.close());

type Snapshot = { status: string; touchstone: { pausedAt?: string; control?: { kind: string } } };
const read = async (runId: string) =>
  (await readJson(setup.host, `/v1/runs/${runId}`)).body as unknown as Snapshot;
const listed = async (status: string): Promise<readonly string[]> => {
  const { body } = await readJson(setup.host, `/v1/host/touchstone/runs?status=${status}`);
  return (body.items as readonly { runId: string }[]).map(({ runId }) => runId);
};

it('a draining pause is a running run that has been asked to pause, until run.paused is in its log', async () => {
  const gate = setup.hold();
  const runId = await begin(setup.host, SUITE, { configurable: { concurrency: 1 } });
  await untilDone(setup.host, runId, 1);
  const asked = await command(setup.host, `/v1/runs/${runId}:pause`, { drainPolicy: 'drain-current-node' });
  expect(asked).toMatchObject({ status: 202, body: { status: 'paused' } });

  const draining = await read(runId);
  expect(draining).toMatchObject({ status: 'running', touchstone: { control: { kind: 'pause' } } });
  expect(draining.touchstone).not.toHaveProperty('pausedAt');
  expect(await listed('paused')).toEqual([]);
  expect(await listed('running')).toEqual([runId]);
  const again = await command(setup.host, `/v1/runs/${runId}:pause`);
  expect(again).toMatchObject({ status: 409, body: { details: { runStatus: 'running' } } });
  expect(again.body.message).toContain('has been asked to pause');
  const early = await command(setup.host, `/v1/runs/${runId}:resume`);
  expect(early).toMatchObject({ status: 409, body: { details: { runStatus: 'running', retryAfter: 1 } } });

  gate.resolve();
  await untilEvent(setup.host, runId, 'run.paused');
  const paused = await read(runId);
  expect(paused).toMatchObject({ status: 'paused', touchstone: { pausedAt: expect.any(String) } });
  expect(paused.touchstone).not.toHaveProperty('control');
  expect(await listed('paused')).toEqual([runId]);
  const third = await command(setup.host, `/v1/runs/${runId}:pause`);
  const { pausedAt } = paused.touchstone;
  expect(third).toMatchObject({ status: 409, body: { details: { runStatus: 'paused', pausedAt } } });

  let resumed = await command(setup.host, `/v1/runs/${runId}:resume`);
  while (resumed.status === 409) resumed = await command(setup.host, `/v1/runs/${runId}:resume`);
  const lifecycle = (await eventsOf(setup.host, runId)).map(({ type }) => type);
  expect(lifecycle.filter((type) => type.startsWith('run.'))).toEqual([
    'run.started',
    'run.paused',
    'run.resumed',
    'run.completed',
  ]);
});
