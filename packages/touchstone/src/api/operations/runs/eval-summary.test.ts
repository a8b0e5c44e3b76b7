import { toBody } from '@touchstone/protocol/bodies';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { started, summary } from '../../../app/testing/events.js';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, type TestHost } from '../../../app/testing/test-host.js';

const task = {
  taskId: 't',
  input: 'x',
  expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } },
};
const suite = { suiteId: 'core.acme.evals.echo', version: '1.0.0', modes: ['golden'], tasks: [task] };

let host: TestHost;
let runId: string;
beforeEach(async () => {
  host = await createTestHost();
  await host.request('POST', '/v1/host/touchstone/suites', { body: suite });
  const body = { mode: 'eval', evalSuiteRef: 'core.acme.evals.echo@1.0.0', agentId: 'local.acme.echo' };
  runId = (await host.request('POST', '/v1/runs', { body })).json<{ runId: string }>().runId;
});
afterEach(() => host.close());

const read = (id = runId) => host.request('GET', `/v1/runs/${id}/eval-summary`);

it('is the output of the completed run', async () => {
  await host.append(
    runId,
    [started, { type: 'run.completed', at: 2, payload: { outputs: summary } }],
    'completed',
  );
  const answer = await read();
  expect(answer.status).toBe(200);
  expect(answer.json()).toEqual(summary);
});

it('can be read without its list of tasks', async () => {
  await host.append(
    runId,
    [started, { type: 'run.completed', at: 2, payload: { outputs: summary } }],
    'completed',
  );
  const { tasks: _, ...totals } = summary;
  const answer = await host.request('GET', `/v1/host/touchstone/runs/${runId}/summary-totals`);
  expect(answer.status).toBe(200);
  expect(answer.json()).toEqual(totals);
});

it.each([['pending'], ['running'], ['paused'], ['cancelling']] as const)(
  'does not exist yet while the run is %s',
  async (status) => {
    if (status !== 'pending') await host.append(runId, [started], status);
    expect(expectRefusal(await read(), 409, 'run_state_conflict').details).toEqual({ runStatus: status });
  },
);

it('never exists for a run that failed or was cancelled', async () => {
  const error = { code: 'budget_exhausted', message: 'Too much.' } as const;
  await host.append(runId, [started, { type: 'run.failed', at: 2, payload: { error } }], 'failed');
  expect(expectRefusal(await read(), 404, 'not_found').details).toEqual({ runStatus: 'failed' });
  const other = (
    await host.request('POST', '/v1/runs', {
      body: { mode: 'eval', evalSuiteRef: 'core.acme.evals.echo', agentId: 'x' },
    })
  ).json<{
    runId: string;
  }>().runId;
  await host.request('POST', `/v1/runs/${other}/cancel`);
  expect(expectRefusal(await read(other), 404, 'not_found').details).toEqual({ runStatus: 'cancelled' });
});

it('does not exist for other runs, unknown runs, and hosts that do not evaluate', async () => {
  const plain = (await host.request('POST', '/v1/runs', { body: { agentId: 'local.acme.echo' } })).json<{
    runId: string;
  }>().runId;
  await host.append(
    plain,
    [{ type: 'run.completed', at: 2, payload: { outputs: toBody({ output: 'x' }) } }],
    'completed',
  );
  expectRefusal(await read(plain), 404, 'not_found');
  expectRefusal(await read('run-404'), 404, 'not_found');
  const off = await createTestHost({ config: { evalSuite: false } });
  expectRefusal(await off.request('GET', '/v1/runs/run-1/eval-summary'), 404, 'not_found');
  await off.close();
});
