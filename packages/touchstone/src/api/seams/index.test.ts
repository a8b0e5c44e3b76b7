import { asId, type RunId, type SuiteId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { completed, decided, invoked, scored, started, summary } from '../../app/testing/events.js';
import { append } from '../../app/testing/fake-engine.js';
import { ACME, createTestHost } from '../../app/testing/test-host.js';
import type { Touchstone } from '../../app/touchstone.js';

const EVENTS = '/v1/host/sample/test/runs';

it('events of a run can be looked at, filtered; an unknown run has none', async () => {
  const host = await createTestHost({ testSeams: true });
  const { runId } = (await host.request('POST', '/v1/runs', { body: { workflowId: 'w' } })).json<{
    runId: string;
  }>();
  const caused = { ...decided('t', 'x'), cause: 1 };
  await host.append(runId, [started, invoked('t'), caused, scored('t'), scored('u'), completed], 'completed');
  const types = async (query: string) =>
    (await host.request('GET', `${EVENTS}/${runId}/events?${query}`))
      .json<{ events: { type: string }[] }>()
      .events.map(({ type }) => type);
  expect(await types('')).toHaveLength(6);
  expect(await types('type=eval.scored')).toEqual(['eval.scored', 'eval.scored']);
  expect(await types('type=eval.scored&nodeId=u')).toEqual(['eval.scored']);
  expect(await types(`causationId=${runId}:1`)).toEqual(['agent.decided']);
  expect(await types(`correlationId=${runId}:1`)).toEqual(['agent.decided']);
  const probe = await host.request('GET', `${EVENTS}/__probe__/events`);
  expect([probe.status, probe.json()]).toEqual([200, { events: [] }]);
  expect((await host.request('POST', '/v1/host/sample/test/reset', { body: {} })).status).toBe(200);
  await host.close();
});

it('an eval run is made by the ordinary way and answered when it is over', async () => {
  const drive = (touchstone: Touchstone): Touchstone => ({
    ...touchstone,
    async createRun(principal, body, options) {
      const run = await touchstone.createRun(principal, body, options);
      const outputs = { ...summary, suiteId: asId<SuiteId>(body.evalSuiteRef?.split('@')[0] ?? '') };
      setImmediate(() =>
        append(
          touchstone.store,
          ACME,
          asId<RunId>(run.runId),
          [started, { type: 'run.completed', at: 2, payload: { outputs } }],
          'completed',
        ),
      );
      return run;
    },
  });
  const host = await createTestHost({ testSeams: true, wrap: drive });
  const answer = await host.request('POST', '/v1/host/sample/agents/eval-run', {
    body: { modes: ['golden'], taskCount: 3 },
  });
  expect(answer.status).toBe(200);
  expect(answer.json()).toEqual({
    runId: 'run-1',
    suiteId: 'host.touchstone.evals.sample-golden',
    suiteVersion: '1.0.3',
    taskCount: 1,
    passed: true,
    aggregateScore: 1,
  });
  expect((await host.request('GET', '/v1/runs/run-1/eval-summary')).status).toBe(200);
  expect((await host.request('GET', '/v1/runs/run-1')).json()).toMatchObject({
    touchstone: { tasks: { total: 3, selected: 3 } },
  });
  await host.close();
});
