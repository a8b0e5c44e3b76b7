import { asId, type RunId, type TaskId } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { schemaIssues } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { started } from '../../../app/testing/events.js';
import { listen, openStream } from '../../../app/testing/listening.js';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { ACME, createTestHost, KEYS, type TestHost } from '../../../app/testing/test-host.js';
import type { LogEntry, Run } from '../../../ports/index.js';

const TASKS = 2_500;
const suite = {
  suiteId: 'core.acme.evals.echo',
  version: '1.0.0',
  modes: ['golden'],
  thresholds: { passScore: 0.5 },
  tasks: Array.from({ length: TASKS }, (_, index) => ({
    taskId: `t-${index}`,
    input: 'x',
    expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } },
  })),
};

let host: TestHost;
let runId: string;
const create = async (body: object): Promise<string> =>
  (await host.request('POST', '/v1/runs', { body })).json<{ runId: string }>().runId;
const evalRun = { mode: 'eval', evalSuiteRef: 'core.acme.evals.echo', agentId: 'local.acme.echo' };
beforeEach(async () => {
  host = await createTestHost();
  await host.request('POST', '/v1/host/touchstone/suites', { body: suite });
  runId = await create(evalRun);
});
afterEach(() => host.close());

const read = (id = runId, key: string = KEYS.acme) =>
  host.request('GET', `/v1/host/touchstone/runs/${id}/report`, { key });

/** A finished run with these results, appended in this order. */
async function finish(ordinals: readonly number[], unscored: readonly number[]): Promise<void> {
  const id = asId<RunId>(runId);
  const run = (await host.store.runs.get(ACME, id)) as Run;
  const lease = await host.store.leases.take(ACME, id, 60_000);
  if (!lease) throw new Error('The test could not take the lease.');
  const score = { kind: 'scored', value: 1, findings: [] } as const;
  const entries = ordinals.map((ordinal): LogEntry => {
    const result = { taskId: asId<TaskId>(`t-${ordinal}`), score: 1, passed: true, latencyMs: ordinal };
    const open = { ...result, score: 0, passed: false, unscored: 'agent_unreachable' } as const;
    const chosen = unscored.includes(ordinal) ? open : result;
    return { kind: 'step', ordinal, repeats: 1, eventCount: 0, result: chosen, at: 1 };
  });
  const seals = ordinals.map((ordinal) => ({
    ordinal,
    repeat: 0,
    events: [],
    score: { score, outcome: 'completed', latencyMs: 1, cost: { unpriced: 0 } } as const,
  }));
  await host.store.log.commit(lease, { seals, entries, firstSequence: run.eventCount });
  await host.store.leases.release(lease);
  await host.append(runId, [{ type: 'run.completed', at: 2, payload: {} }], 'completed');
}

it('folds every page of the results, in suite order, whatever order they were appended in', async () => {
  const late = [3, 1];
  const early = suite.tasks.map((_, ordinal) => ordinal).filter((ordinal) => !late.includes(ordinal));
  await finish([...early, ...late], [1, 3, 2_000]);
  const answer = await read();
  expect(answer.status).toBe(200);
  expect(schemaIssues(vendor.evalReport, answer.json())).toEqual([]);
  expect(answer.json()).toMatchObject({
    runId,
    suite: { ref: 'core.acme.evals.echo@1.0.0' },
    tasks: {
      total: TASKS,
      selected: TASKS,
      passed: TASKS - 3,
      unscored: 3,
      unscoredTasks: ['t-1', 't-3', 't-2000'].map((taskId) => ({ taskId, reason: 'agent_unreachable' })),
    },
    aggregate: { score: (TASKS - 3) / TASKS, bar: 0.5 },
    verdict: 'pass',
    latency: { p50Ms: 1_249, p95Ms: 2_374, maxMs: 2_499 },
  });
  expect((await read()).text).toBe(answer.text);
});

it('is of one mind with the progress: a task without a score has not failed', async () => {
  await finish([0, 1, 2, 3], [1, 3]);
  const url = await listen(host.app);
  const reader = await openStream(`${url}/v1/host/touchstone/runs/${runId}/progress`);
  const [standing] = await reader.rest();
  expect(JSON.parse(standing?.data ?? '')).toEqual({
    total: TASKS,
    done: 4,
    running: 0,
    passed: 2,
    failed: 0,
    unscored: 2,
  });
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
  const other = await create(evalRun);
  await host.request('POST', `/v1/runs/${other}/cancel`);
  expect(expectRefusal(await read(other), 404, 'not_found').details).toEqual({ runStatus: 'cancelled' });
});

it('does not exist for other runs, for strangers, and on hosts that do not evaluate', async () => {
  const plain = await create({ agentId: 'local.acme.echo' });
  const outputs = toBody({ output: 'x' });
  await host.append(plain, [{ type: 'run.completed', at: 2, payload: { outputs } }], 'completed');
  expectRefusal(await read(plain), 404, 'not_found');
  await finish([0], []);
  const absent = await read('run-404');
  expectRefusal(absent, 404, 'not_found');
  expect((await read(runId, KEYS.rival)).text).toBe(absent.text);
  const off = await createTestHost({ config: { evalSuite: false } });
  expectRefusal(await off.request('GET', '/v1/host/touchstone/runs/run-1/report'), 404, 'not_found');
  await off.close();
});
