import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsOf, openWholeHost, type WholeHost } from './whole-host.js';

// Goal: content never leaves its room. Method: a distinct canary in every place that holds content, one run with a pass,
// a failure, an error, a tool call and a memory seed; then look for canaries in everything that must be free of them,
// and make sure they are found where content belongs, so that the search itself is known to work.
const CANARY = {
  input: 'canary-input-5a1f',
  output: 'canary-output-77c2',
  expected: 'canary-expected-0b9e',
  toolInput: 'canary-tool-input-41d0',
  toolResult: 'canary-tool-result-c3a8',
  memory: 'canary-memory-9e44',
  reasoning: 'canary-reasoning-8bd1',
  error: 'canary-error-2f6d',
};
const AGENT = `
export default async (input, ctx) => {
  if (input.fail) throw new Error('${CANARY.error}');
  ctx.reason('${CANARY.reasoning}');
  const found = await ctx.tools.call('local:kb.search', { q: '${CANARY.toolInput}' });
  return '${CANARY.output} ' + found.text + ' ' + ctx.memory.map((entry) => entry.content).join();
};
`;
const task = (taskId: string, input: object, value: string) => ({
  taskId,
  input: { text: CANARY.input, ...input },
  expected: { kind: 'golden', match: { strategy: 'contains', value } },
  fixtures: {
    toolResponses: [{ tool: 'local:kb.search', response: { text: CANARY.toolResult } }],
    memorySeed: [{ content: CANARY.memory }],
  },
});
const SUITE = {
  suiteId: 'local.test.evals.canaries',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    task('passes', {}, CANARY.output),
    task('fails', {}, CANARY.expected),
    task('throws', { fail: true }, CANARY.expected),
  ],
};

let host: WholeHost;
let runId: string;
beforeAll(async () => {
  const agent = {
    agentId: 'local.test.canary',
    version: '1.0.0',
    toolAllowlist: ['local:kb.search'],
    run: { kind: 'module', path: './agent.mjs' },
  };
  host = await openWholeHost({ agents: [agent] }, { files: { 'agent.mjs': AGENT } });
  const client = host.client();
  await client.suites.install(SUITE as never);
  runId = (
    await client.runs.create({ mode: 'eval', evalSuiteRef: SUITE.suiteId, agentId: 'local.test.canary' })
  ).runId;
  await client.waitForScorecard(runId as never);
});
afterAll(() => host.close());

const text = async (path: string): Promise<string> => (await host.fetch(path)).text();
const found = (where: string): string[] => Object.values(CANARY).filter((canary) => where.includes(canary));
type Event = { readonly type: string; readonly payload: object };
const events = async (): Promise<readonly Event[]> =>
  JSON.parse(await text(`/v1/runs/${runId}/events/poll?timeout=1`)).events;

describe('planted canaries', () => {
  it('are in the agent’s own events and in the task view, so the search can find them', async () => {
    const agentEvents = JSON.stringify((await events()).filter(({ type }) => type.startsWith('agent.')));
    expect(found(agentEvents)).toEqual(
      expect.arrayContaining([
        CANARY.output,
        CANARY.toolInput,
        CANARY.toolResult,
        CANARY.memory,
        CANARY.reasoning,
      ]),
    );
    const views = (
      await Promise.all(
        ['passes', 'fails', 'throws'].map((id) => text(`/v1/host/touchstone/runs/${runId}/tasks/${id}`)),
      )
    ).join();
    expect(found(views)).toEqual(
      expect.arrayContaining([CANARY.input, CANARY.output, CANARY.expected, CANARY.error]),
    );
  });

  it('are absent from eval.* events, brackets, run events, usage, summary, snapshot and lists', async () => {
    const free = (await events()).filter(
      ({ type }) => !/^agent\.(reasoned|toolCalled|toolReturned|decided)$/.test(type),
    );
    expect(free.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'eval.started',
        'eval.scored',
        'eval.completed',
        'run.completed',
        'agent.invocation.completed',
      ]),
    );
    expect(found(JSON.stringify(free))).toEqual([]);
    for (const path of [
      `/v1/runs/${runId}/eval-summary`,
      `/v1/runs/${runId}`,
      '/v1/host/touchstone/runs',
      '/v1/host/touchstone/suites',
      '/v1/agents',
    ]) {
      expect({ path, found: found(await text(path)) }).toEqual({ path, found: [] });
    }
  });

  it('are absent from the updates stream, which is the default one', async () => {
    const response = await host.fetch(`/v1/runs/${runId}/events`);
    const stream = await response.text();
    expect(stream).toContain('eval.scored');
    expect(found(stream)).toEqual([]);
  });

  it('are absent from logs and metrics, also after refused requests that carry them', async () => {
    const noisy = {
      suiteId: CANARY.input,
      version: CANARY.output,
      modes: [CANARY.expected],
      tasks: [{ taskId: CANARY.error, input: CANARY.memory }],
    };
    const refusals = await Promise.all([
      host.fetch('/v1/host/touchstone/suites', { method: 'POST', body: noisy }),
      host.fetch('/v1/host/touchstone/suites', { method: 'POST', body: `{"a": "${CANARY.input}` }),
      host.fetch('/v1/runs', {
        method: 'POST',
        body: {
          mode: 'eval',
          evalSuiteRef: CANARY.input,
          agentId: CANARY.output,
          configurable: { evalModes: [CANARY.expected] },
        },
      }),
    ]);
    for (const response of refusals) {
      expect(response.status).toBe(400);
      expect(found(await response.text())).toEqual([]);
    }
    expect(found(await metricsOf(host))).toEqual([]);
    expect(host.logs.length).toBeGreaterThan(0);
    expect(found(host.logs.join(''))).toEqual([]);
  });
});
