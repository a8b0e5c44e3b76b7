import { asId, type TaskId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { completed, started } from '../../../app/testing/events.js';
import { listen, openStream } from '../../../app/testing/listening.js';
import { createTestHost } from '../../../app/testing/test-host.js';

const progress = (done: number) => ({
  total: 2,
  done,
  running: 2 - done,
  passed: done,
  failed: 0,
  costUsd: 0.5 * done,
});
const task = (id: string) => ({ taskId: asId<TaskId>(id), score: 1, passed: true, latencyMs: 3 });

it('tells where a run stands, then what happens, and ends with it', async () => {
  const host = await createTestHost();
  const url = await listen(host.app);
  const { runId } = (await host.request('POST', '/v1/runs', { body: { agentId: 'local.acme.echo' } })).json<{
    runId: string;
  }>();
  const reader = await openStream(`${url}/v1/host/touchstone/runs/${runId}/progress`);
  expect(await reader.next()).toEqual({
    event: 'progress',
    data: JSON.stringify({ total: 1, done: 0, running: 0, passed: 0, failed: 0 }),
  });
  host.report(progress(1), [task('a')]);
  host.report(progress(2), [task('b')]);
  await host.append(runId, [started], 'running');
  const told = [await reader.next(), await reader.next(), await reader.next()];
  expect(told.map((frame) => [frame?.event, JSON.parse(frame?.data ?? '')])).toEqual([
    ['task', task('a')],
    ['task', task('b')],
    ['progress', progress(2)],
  ]);
  await host.append(runId, [completed], 'completed');
  const last = await reader.rest();
  expect(last).toEqual([
    { event: 'progress', data: JSON.stringify({ total: 1, done: 1, running: 0, passed: 1, failed: 0 }) },
  ]);
  const after = await openStream(`${url}/v1/host/touchstone/runs/${runId}/progress`);
  expect(await after.rest()).toEqual(last);
  await host.close();
});
