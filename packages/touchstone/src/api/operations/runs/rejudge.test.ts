import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost } from '../../../app/testing/test-host.js';
import type { Touchstone } from '../../../app/touchstone.js';

let host: TestHost;
let asked: Parameters<Touchstone['rejudge']>[];
let source: string;
beforeEach(async () => {
  asked = [];
  host = await createTestHost({
    wrap: (touchstone) => ({
      ...touchstone,
      rejudge: async (...args) => {
        asked.push(args);
        return touchstone.createRun(args[0], { workflowId: 'conformance-noop' });
      },
    }),
  });
  const body = { workflowId: 'conformance-noop' };
  source = (await host.request('POST', '/v1/runs', { body })).json<{ runId: string }>().runId;
});
afterEach(() => host.close());

const rejudge = (body?: object, options: object = {}, runId = source) =>
  host.request('POST', `/v1/host/touchstone/runs/${runId}:rejudge`, { ...(body && { body }), ...options });

describe('asking for another judge', () => {
  it('answers like creating a run, and asks for what was wished', async () => {
    const headers = { host: 'evals.example' };
    const answer = await rejudge({ judge: 'local/judge-2', votes: 3 }, { headers });
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({
      runId: 'run-2',
      status: 'pending',
      eventsUrl: 'http://evals.example/v1/runs/run-2/events',
      statusUrl: 'http://evals.example/v1/runs/run-2',
    });
    expect(answer.headers.location).toBe('http://evals.example/v1/runs/run-2');
    const [, runId, wish] = asked[0] ?? [];
    expect([runId, wish]).toEqual([source, { model: 'local/judge-2', votes: 3 }]);
  });

  it('without a body means the configured judge', async () => {
    expect((await rejudge()).status).toBe(201);
    expect(asked[0]?.[2]).toEqual({});
  });

  it.each([[{ votes: 0 }], [{ votes: 26 }], [{ votes: 1.5 }], [{ judge: '' }], [{ model: 'x' }]])(
    '%j is refused',
    async (body) => {
      expectRefusal(await rejudge(body), 400, 'validation_error');
      expect(asked).toEqual([]);
    },
  );

  it('is for those who may create runs, of runs that are theirs', async () => {
    expectRefusal(await rejudge({}, { key: KEYS.reader }), 403, 'forbidden');
    expectRefusal(await rejudge({}, { key: KEYS.rival }), 404, 'not_found');
    expectRefusal(await rejudge({}, {}, 'run-nowhere'), 404, 'not_found');
    expect(asked).toEqual([]);
  });
});
