import { asId, type RunId } from '@touchstone/protocol';
import type { TaskListQuery } from '@touchstone/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: a page can show any part of a run, filtered and sorted, without reading the run as a whole. Method: two runs of one
// suite whose agents differ in four tasks, and every list held against the eval summary of the same run.

const IDS = ['order-1', 'order-2', 'order-3', 'refund-1', 'refund-2', 'refund-3', 'tone'];
const WRONG = { '1.0.0': ['refund-1', 'order-1'], '2.0.0': ['refund-1', 'refund-2', 'refund-3'] };
const CANARY = 'canary-of-an-answer';
const agentCode = (version: keyof typeof WRONG) =>
  `export default ({ q }) => (${JSON.stringify(WRONG[version])}.includes(q) ? '${CANARY}' : q);`;
const SUITE = {
  suiteId: 'local.test.evals.lists',
  version: '1.0.0',
  modes: ['golden'],
  tasks: IDS.map((taskId) => ({
    taskId,
    input: { q: taskId },
    expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
  })),
};

let host: WholeHost;
let before: RunId;
let runId: RunId;
const evaluate = async (version: string): Promise<RunId> => {
  const { runId } = await host.client().runs.create({
    mode: 'eval',
    evalSuiteRef: SUITE.suiteId,
    agentId: `local.test.lists@${version}`,
  });
  await host.client().waitForScorecard(asId<RunId>(runId));
  return asId<RunId>(runId);
};
beforeAll(async () => {
  const agents = Object.keys(WRONG).map((version) => ({
    agentId: 'local.test.lists',
    version,
    run: { kind: 'module', path: `./${version}.mjs` },
  }));
  const files = { '1.0.0.mjs': agentCode('1.0.0'), '2.0.0.mjs': agentCode('2.0.0') };
  host = await openWholeHost({ agents }, { files });
  await host.client().suites.install(SUITE as never);
  before = await evaluate('1.0.0');
  runId = await evaluate('2.0.0');
});
afterAll(() => host.close());

const list = (query: TaskListQuery = {}) => host.client().runs.tasks(runId, query);
const idsOf = async (query: TaskListQuery) => (await list(query)).items.map(({ taskId }) => taskId);

describe('one task of a run', () => {
  it('says what its score has to reach', async () => {
    expect((await host.client().task(runId, 'refund-1')).bar).toBe(1);
  });
});

describe('the list of a run’s tasks', () => {
  it('is in the order of the suite, with the event that an override names', async () => {
    const { items, total, matched, revision } = await list();
    expect(items.map(({ n, taskId }) => [n, taskId])).toEqual(IDS.map((taskId, n) => [n, taskId]));
    expect([total, matched]).toEqual([7, 7]);
    const events = (await host.client().pollEvents(runId, {})).events;
    expect(revision).toBe(events.length);
    const scored = events.filter(({ type }) => type === 'eval.scored');
    expect(items.map((item) => item.scored)).toEqual(scored.map(({ eventId }) => eventId));
  });

  it('keeps as many by side as the summary counts', async () => {
    const summary = await host.client().evalSummary(runId);
    expect((await list({ outcome: 'passed' })).matched).toBe(summary.passedCount);
    expect(await idsOf({ outcome: 'failed' })).toEqual(['refund-1', 'refund-2', 'refund-3']);
    expect((await list({ outcome: 'unscored' })).matched).toBe(0);
  });

  it('keeps what changed against another run, and says what it was before', async () => {
    expect(await idsOf({ against: before, change: 'toFail' })).toEqual(['refund-2', 'refund-3']);
    expect(await idsOf({ against: before, change: 'toFail,toPass' })).toEqual([
      'order-1',
      'refund-2',
      'refund-3',
    ]);
    const { items } = await list({ against: before, change: 'toPass' });
    expect(items).toMatchObject([{ taskId: 'order-1', score: 1, before: { score: 0, passed: false } }]);
  });

  it('is found by slice and by parts of ids', async () => {
    expect(await idsOf({ slice: 'refund' })).toEqual(['refund-1', 'refund-2', 'refund-3']);
    expect(await idsOf({ id: '-3' })).toEqual(['order-3', 'refund-3']);
  });

  it('is sorted by the host, and tasks without the value come last both ways', async () => {
    expect((await idsOf({ order: '-score' })).slice(0, 2)).toEqual(['order-1', 'order-2']);
    expect((await idsOf({ order: 'change', against: before })).slice(0, 2)).toEqual(['refund-2', 'refund-3']);
    expect((await idsOf({ order: '-id' }))[0]).toBe('tone');
    expect(await idsOf({ order: '-cost' })).toEqual(IDS);
  });

  it('comes in pages, by place or around a task', async () => {
    expect(await idsOf({ offset: 2, limit: 2 })).toEqual(['order-3', 'refund-1']);
    const around = await list({ around: 'refund-2', limit: 3 });
    expect([around.offset, around.items.map(({ taskId }) => taskId)]).toEqual([
      3,
      ['refund-1', 'refund-2', 'refund-3'],
    ]);
    expect((await list({ around: 'refund-3', outcome: 'failed', limit: 1 })).offset).toBe(2);
    expect((await list({ around: 'order-1', outcome: 'failed', limit: 1, offset: 1 })).offset).toBe(1);
    expect((await list({ around: 'nothing', limit: 3, offset: 3 })).offset).toBe(3);
  });

  it('tells how a task went in the runs before', async () => {
    const lasts = new Map<string, string | undefined>(
      (await list({ last: 3 })).items.map(({ taskId, last }) => [taskId, last]),
    );
    expect([lasts.get('order-1'), lasts.get('refund-1'), lasts.get('refund-2')]).toEqual(['fp', 'ff', 'pf']);
  });

  it('can be had as lines and as a table, all of it at once', async () => {
    const read = async (accept: string) =>
      (
        await host.fetch(`/v1/host/touchstone/runs/${runId}/tasks?outcome=failed`, { headers: { accept } })
      ).text();
    const lines = (await read('application/x-ndjson')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).taskId)).toEqual(['refund-1', 'refund-2', 'refund-3']);
    expect((await read('text/csv')).split('\r\n').slice(0, 2)).toEqual([
      'n,taskId,score,passed,unscored,outcome,latencyMs,costUsd,judgeUsd',
      expect.stringMatching(/^3,refund-1,0,false,,,\d+,,$/),
    ]);
  });

  it('shows no content', async () => {
    for (const path of ['tasks?last=5', 'facets']) {
      const text = await (await host.fetch(`/v1/host/touchstone/runs/${runId}/${path}`)).text();
      expect(text).not.toContain(CANARY);
    }
  });

  it('counts what reviewers said, and keeps tasks by it', async () => {
    const client = host.client();
    const [task] = (await list({ id: 'tone' })).items;
    const target = { eventId: task?.scored ?? '' };
    await client.runs.annotate(runId, { target, signal: { kind: 'flag' } } as never);
    const correction = JSON.stringify({ score: 0.5 });
    await client.runs.annotate(runId, {
      target,
      signal: { kind: 'correction', correction },
      note: 'too curt',
    } as never);
    expect((await list({ reviewed: 'overridden' })).items).toMatchObject([
      { taskId: 'tone', score: 1, remarks: 2, flagged: true, override: { score: 0.5, passed: false } },
    ]);
    expect((await client.runs.facets(runId)).reviewed).toEqual({
      open: 6,
      done: 1,
      overridden: 1,
      flagged: 1,
    });
  });
});

describe('a page in the order of the suite', () => {
  // A task that is nowhere leaves a page where it was to be; looking for it takes the whole run.
  const whole = (query: TaskListQuery) => list({ ...query, around: 'nowhere' });
  const queries: readonly TaskListQuery[] = [
    {},
    { outcome: 'failed' },
    { outcome: 'unscored' },
    { outcome: 'passed', offset: 1, limit: 2 },
    { offset: 6, limit: 5 },
    { offset: 7 },
    { last: 2, limit: 3 },
  ];

  it.each(queries)('%j says what the same page of the whole run says', async (query) => {
    expect(await list(query)).toEqual(await whole(query));
    const compared = { ...query, against: before };
    expect(await list(compared)).toEqual(await whole(compared));
  });
});

describe('the content of some tasks', () => {
  it('comes in short, in the order it was asked for', async () => {
    const { items } = await host.client().runs.bodies(runId, ['refund-1', 'tone', 'nope'], { chars: 12 });
    expect(items).toEqual([
      {
        taskId: 'refund-1',
        input: '{"q":"refund',
        expected: 'refund-1',
        output: CANARY.slice(0, 12),
        cut: true,
      },
      { taskId: 'tone', input: '{"q":"tone"}', expected: 'tone', output: 'tone', cut: false },
    ]);
  });

  it.each([[[]], [Array.from({ length: 51 }, (_, at) => `t-${at}`)]])('is refused for %j', async (tasks) => {
    await expect(host.client().runs.bodies(runId, tasks)).rejects.toMatchObject({ status: 400 });
  });
});

describe('the facets of a run', () => {
  it('count by side, change and slice, and each ignores its own filter', async () => {
    const facets = await host.client().runs.facets(runId, { outcome: 'failed', against: before });
    expect(facets.outcomes).toEqual({ passed: 4, failed: 3, unscored: 0 });
    expect(facets.changes).toEqual({ toFail: 2, toPass: 0, lower: 0, higher: 0, same: 1, unpaired: 0 });
    expect(facets.slices).toEqual([{ name: 'refund', tasks: 3, failed: 3 }]);
    expect(facets.histograms.score.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(facets.histograms.change.edges).toHaveLength(21);
  });
});

describe('a question that cannot be answered', () => {
  it.each([
    ['outcome=good', 400],
    ['order=name', 400],
    ['limit=501', 400],
    ['change=toFail', 400],
    ['change=toFail,good', 400],
    ['against=run-nope', 404],
  ])('%s is refused with %i', async (query, status) => {
    const response = await host.fetch(`/v1/host/touchstone/runs/${runId}/tasks?${query}`);
    expect(response.status).toBe(status);
  });
});
