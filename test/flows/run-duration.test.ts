import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, payloadsOf, readJson } from './pack-host.js';
import { AGENT, command, golden, installSuite, openRunHost, type RunHost } from './run-host.js';

// Goal: the longest a run may take is advertised, and no kind of run takes longer. Method: an agent that keeps its task
// until the test is over, so that only the limit can end a run.
const LIMIT = 1_000;
const SUITE = 'local.test.evals.endless';
let setup: RunHost;
let release: () => void;
beforeAll(async () => {
  setup = await openRunHost({ limits: { maxRunDurationMs: LIMIT } });
  const tasks = [golden('quick'), golden('endless', { hold: true })];
  await installSuite(setup.host, { suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks });
  release = setup.hold().resolve;
});
afterAll(() => {
  release();
  return setup.close();
});

const EVAL = { mode: 'eval', evalSuiteRef: SUITE, agentId: `${AGENT}@1.0.0` };
const SINGLE = { agentId: `${AGENT}@1.0.0`, inputs: { say: 'x', hold: true } };
const WORKFLOW = { workflowId: 'conformance-cancellable', inputs: { delayMs: 60_000 } };

async function breachOf(body: object): Promise<{ limit: number; error: unknown }> {
  const created = await command(setup.host, '/v1/runs', body);
  expect(created.status).toBe(201);
  const events = await eventsOf(setup.host, created.body.runId as string);
  const [breach] = payloadsOf(events, 'cap.breached');
  expect(breach).toMatchObject({ kind: 'run-duration', observed: expect.any(Number) });
  expect(breach?.observed).toBeGreaterThanOrEqual(breach?.limit as number);
  return { limit: breach?.limit as number, error: payloadsOf(events, 'run.failed')[0]?.error };
}

it('is advertised', async () => {
  const { body } = await readJson(setup.host, '/.well-known/openwop');
  expect(body).toMatchObject({ limits: { maxRunDurationMs: LIMIT } });
});

describe.each([
  ['an evaluation', EVAL],
  ['a run of one agent', SINGLE],
  ['a workflow', WORKFLOW],
])('%s', (_, body) => {
  it('ends at the limit of the host, whether it asked for more or for nothing', async () => {
    const asked = { ...body, configurable: { runTimeoutMs: 3_600_000 } };
    for (const { limit, error } of await Promise.all([breachOf(body), breachOf(asked)])) {
      expect(limit).toBe(LIMIT);
      expect(error).toMatchObject({ code: 'run_timeout', details: { elapsedMs: expect.any(Number) } });
    }
  });

  it('ends earlier when it asked for less', async () => {
    expect((await breachOf({ ...body, configurable: { runTimeoutMs: 50 } })).limit).toBe(50);
  });
});
