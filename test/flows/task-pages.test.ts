import { asId, type RunId } from '@touchstone/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Right on the second try only, so that repeats differ.
const AGENT = `const seen = new Map();
export default async ({ q }) => {
  seen.set(q, (seen.get(q) ?? 0) + 1);
  return seen.get(q) === 2 ? q : 'not yet';
};`;
const SUITE = {
  suiteId: 'local.test.evals.pages',
  version: '1.0.0',
  modes: ['golden'],
  tasks: ['a', 'b', 'c'].map((taskId) => ({
    taskId,
    input: { q: taskId },
    expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
  })),
};

let host: WholeHost;
let runId: RunId;
beforeAll(async () => {
  const agent = {
    agentId: 'local.test.slow',
    version: '1.0.0',
    run: { kind: 'module', path: './agent.mjs' },
  };
  host = await openWholeHost({ agents: [agent] }, { files: { 'agent.mjs': AGENT } });
  const client = host.client();
  await client.suites.install(SUITE as never);
  const created = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: SUITE.suiteId,
    agentId: 'local.test.slow',
    configurable: { repeats: 2, concurrency: 1 },
  });
  runId = asId<RunId>(created.runId);
  await client.waitForScorecard(runId);
});
afterAll(() => host.close());

describe('the tasks of a run', () => {
  it('come in pages, with their places in the suite', async () => {
    const first = await host.client().runs.taskViews(runId, { limit: 2 });
    expect(first.items.map(({ ordinal, task }) => [ordinal, task.taskId])).toEqual([
      [0, 'a'],
      [1, 'b'],
    ]);
    const second = await host.client().runs.taskViews(runId, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ task }) => task.taskId)).toEqual(['c']);
    expect(second.nextCursor).toBeUndefined();
  });

  it('are the same as read one by one, with the result of each repeat', async () => {
    const [item] = (await host.client().runs.taskViews(runId)).items;
    expect(item?.task).toEqual(await host.client().task(runId, 'a'));
    expect(item?.task.score).toBe(0.5);
    expect(item?.task.invocations.map(({ result }) => [result?.score, result?.passed])).toEqual([
      [0, false],
      [1, true],
    ]);
  });

  it('are absent when the run is', async () => {
    await expect(host.client().runs.taskViews(asId<RunId>('run-nope'))).rejects.toMatchObject({
      status: 404,
    });
  });
});
