import { asId, type RunId } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: many runs can be looked at together without reading the results of any. Method: four runs of one suite and one of
// another whose agents are wrong in known places, held against eval summaries and reports.

const IDS = ['order-1', 'order-2', 'refund-1', 'refund-2', 'tone'];
const WRONG: { readonly [version: string]: readonly string[] } = {
  '1.0.0': ['order-1'],
  '2.0.0': ['refund-1', 'refund-2'],
};
const CANARY = 'canary-of-a-suite';
const code = (version: string) =>
  `export default ({ q }) => (${JSON.stringify(WRONG[version])}.includes(q) ? '${CANARY}' : q);`;
const golden = (taskId: string) => ({
  taskId,
  input: { q: taskId },
  expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
});
const SUITE = {
  suiteId: 'local.test.evals.matrix',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    ...IDS.map(golden),
    {
      ...golden('with-tools'),
      fixtures: {
        toolResponses: [{ tool: 'local:orders.find', response: { text: CANARY } }],
        memorySeed: [{ content: CANARY }],
      },
    },
  ],
};

let host: WholeHost;
let runs: readonly RunId[];
let other: RunId;

async function evaluate(suite: string, version: string, configurable: object = {}): Promise<RunId> {
  const body = { mode: 'eval', evalSuiteRef: suite, agentId: `local.test.matrix@${version}`, configurable };
  const { runId } = await host.client().runs.create({ ...body, tags: [`v${version}`] } as never);
  await host.client().waitForScorecard(asId<RunId>(runId));
  return asId<RunId>(runId);
}

beforeAll(async () => {
  const agents = Object.keys(WRONG).map((version) => ({
    agentId: 'local.test.matrix',
    version,
    run: { kind: 'module', path: `./${version}.mjs` },
  }));
  host = await openWholeHost(
    { agents },
    { files: { '1.0.0.mjs': code('1.0.0'), '2.0.0.mjs': code('2.0.0') } },
  );
  const client = host.client();
  await client.suites.install(SUITE as never);
  const next = { ...SUITE, version: '1.1.0', tasks: [golden('refund-2'), golden('new'), golden('order-1')] };
  await client.suites.install(next as never);
  const first = await evaluate(`${SUITE.suiteId}@1.0.0`, '1.0.0');
  const second = await evaluate(`${SUITE.suiteId}@1.0.0`, '2.0.0', { baselineRunId: first });
  runs = [first, second, await evaluate(`${SUITE.suiteId}@1.0.0`, '1.0.0')];
  other = await evaluate(`${SUITE.suiteId}@1.1.0`, '2.0.0');
});
afterAll(() => host.close());

const lettersOf = (row: { readonly cells: readonly (readonly [number, string])[] } | undefined) =>
  row?.cells.map(([, letter]) => letter).join('');

describe('the matrix of several runs', () => {
  it('has a column for each run as it was named, and a row for each task', async () => {
    const matrix = await host.client().matrix({ runs });
    expect(matrix.runs.map(({ runId }) => runId)).toEqual(runs);
    const headlines = await Promise.all(
      runs.map(async (runId) => (await host.client().runs.get(runId)).touchstone?.headline),
    );
    expect(matrix.runs.map(({ score, interval }) => [score, interval])).toEqual(
      headlines.map((headline) => [headline?.aggregateScore, headline?.interval]),
    );
    expect([matrix.comparable, matrix.matched, matrix.cut]).toEqual([true, 6, false]);
    for (const { taskId, cells } of matrix.items)
      for (const [at, [score, letter]] of cells.entries()) {
        const { tasks } = await host.client().evalSummary(runs[at] as RunId);
        const task = tasks.find((one) => one.taskId === taskId);
        expect([score, letter]).toEqual([task?.score, task?.passed ? 'p' : 'f']);
      }
  });

  it('keeps what changed sides or differs, and sorts by drop, flips or newest failure', async () => {
    const client = host.client();
    const flips = await client.matrix({ runs, only: 'flips' });
    expect(flips.items.map(({ taskId, flips }) => [taskId, flips])).toEqual([
      ['order-1', 2],
      ['refund-1', 2],
      ['refund-2', 2],
    ]);
    const two = runs.slice(0, 2);
    const dropped = await client.matrix({ runs: two, only: 'differ' });
    expect(dropped.items.map(({ taskId }) => taskId)).toEqual(['refund-1', 'refund-2', 'order-1']);
    const newest = await client.matrix({ runs, order: 'newest', limit: 1 });
    expect(newest.items.map(({ taskId }) => taskId)).toEqual(['order-1']);
    expect((await client.matrix({ runs, offset: 5 })).items).toHaveLength(1);
  });

  it('says why runs of different suites are not comparable, and shows tasks by their ids all the same', async () => {
    const matrix = await host.client().matrix({ runs: [runs[1] as RunId, other] });
    expect(matrix.comparable).toBe(false);
    expect(matrix.reason).toContain('Only runs of the very same suite');
    const byId = new Map<string, (typeof matrix.items)[number]>(matrix.items.map((row) => [row.taskId, row]));
    expect(['refund-2', 'order-1', 'tone', 'new'].map((taskId) => lettersOf(byId.get(taskId)))).toEqual([
      'ff',
      'pp',
      'p-',
      '-p',
    ]);
  });

  it('is made from the log where nothing is kept beside a run, and kept from then on', async () => {
    const client = host.client();
    const { runId } = await client.runs.fork(runs[1] as RunId, { mode: 'replay' });
    await client.waitForScorecard(asId<RunId>(runId));
    const figuresOf = async () => (await client.runs.get(asId<RunId>(runId))).touchstone?.headline?.interval;
    expect(await figuresOf()).toBeUndefined();
    const { items, runs: columns } = await client.matrix({ runs: [runs[1] as RunId, asId<RunId>(runId)] });
    for (const { cells } of items) expect(cells[1]).toEqual(cells[0]);
    expect(columns[1]?.interval).toEqual(columns[0]?.interval);
    expect(await figuresOf()).toEqual(columns[0]?.interval);
    await client.runs.remove(asId<RunId>(runId));
  });

  it('is had of the last runs of a suite, oldest first, of one version or one agent', async () => {
    const client = host.client();
    const { suiteId } = SUITE;
    const idsOf = async (query: object) =>
      (await client.matrix({ suiteId, ...query } as never)).runs.map(({ runId }) => runId);
    expect(await idsOf({})).toEqual([...runs, other]);
    expect(await idsOf({ last: 2 })).toEqual([runs[2], other]);
    expect(await idsOf({ suiteId: `${suiteId}@1.0.0` })).toEqual(runs);
    expect(await idsOf({ agentId: 'local.test.nobody' })).toEqual([]);
  });

  it.each([
    ['', 400],
    ['runs=', 400],
    ['runs=a&suiteId=b', 400],
    [`runs=${Array.from({ length: 21 }, (_, at) => at).join(',')}`, 400],
    ['runs=run-nope', 404],
    ['suiteId=a&last=21', 400],
    ['suiteId=a&only=some', 400],
    ['suiteId=a&order=name', 400],
    ['suiteId=a&limit=501', 400],
  ])('refuses %j with %i', async (query, status) => {
    expect((await host.fetch(`/v1/host/touchstone/matrix?${query}`)).status).toBe(status);
  });
});

describe('the list of runs', () => {
  const idsOf = async (filter: object) =>
    (await host.client().runs.list(filter)).items.map(({ runId }) => runId as string);

  it('has the interval, the verdict, the slowest times and the change of each completed run', async () => {
    const { items } = await host.client().runs.list({ q: runs[1] as string });
    const headline = items[0]?.touchstone?.headline;
    const report = await host.client().runs.report(runs[1] as RunId);
    expect(headline).toMatchObject({
      interval: report.aggregate.interval,
      verdict: 'fail',
      regression: { scoreDelta: report.regression?.scoreDelta, verdict: report.regression?.verdict },
    });
    expect(headline?.p95Ms ?? 0).toBe(report.latency.p95Ms);
  });

  it('is filtered by kind, verdict, tag, time and names', async () => {
    expect(await idsOf({ kind: 'eval' })).toEqual([other, ...runs.toReversed()]);
    expect(await idsOf({ kind: 'deployment' })).toEqual([]);
    expect(await idsOf({ tag: 'v2.0.0' })).toEqual([other, runs[1]]);
    expect(await idsOf({ verdict: 'pass' })).toEqual([runs[2], runs[0]]);
    expect(await idsOf({ q: 'MATRIX@2.0' })).toEqual([other, runs[1]]);
    const { touchstone } = await host.client().runs.get(other);
    expect(await idsOf({ since: touchstone?.createdAt })).toContain(other);
    expect(await idsOf({ until: touchstone?.createdAt })).not.toContain(other);
  });

  it('reads on past runs that do not match until the page is full', async () => {
    const first = await host.client().runs.list({ tag: 'v1.0.0', limit: 1 });
    expect(first.items.map(({ runId }) => runId)).toEqual([runs[2]]);
    const next = await host.client().runs.list({ tag: 'v1.0.0', limit: 1, cursor: first.nextCursor ?? '' });
    expect(next.items.map(({ runId }) => runId)).toEqual([runs[0]]);
  });

  it('is answered with 304 while nothing has changed', async () => {
    const path = '/v1/host/touchstone/runs?limit=2';
    const etag = (await host.fetch(path)).headers.get('etag') ?? '';
    expect((await host.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await host.fetch(path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  it('has the interval of a run for which none was kept when it ended', async () => {
    const client = host.client();
    const [, second] = runs as readonly [RunId, RunId];
    const { runId } = await client.runs.fork(second, { mode: 'replay' });
    await client.waitForScorecard(asId<RunId>(runId));
    const [listed] = (await client.runs.list({ q: runId })).items;
    const report = await client.runs.report(second);
    expect(listed?.touchstone?.headline?.interval).toEqual(report.aggregate.interval);
    expect((await client.runs.get(asId<RunId>(runId))).touchstone?.headline?.interval).toEqual(
      report.aggregate.interval,
    );
  });

  it.each(['kind=other', 'verdict=good', 'since=yesterday', 'until=12', 'q='])(
    'refuses %s',
    async (query) => {
      expect((await host.fetch(`/v1/host/touchstone/runs?${query}`)).status).toBe(400);
    },
  );
});

describe('the tasks of a suite', () => {
  const ref = `${SUITE.suiteId}@1.0.0`;

  it('are listed in its order without content, and found by id and kind', async () => {
    const client = host.client();
    const { total, matched, items } = await client.suites.tasks(ref, { offset: 4 });
    expect([total, matched]).toEqual([6, 6]);
    expect(items).toEqual([
      { n: 4, taskId: 'tone', kind: 'golden', strategy: 'exact' },
      { n: 5, taskId: 'with-tools', kind: 'golden', strategy: 'exact', tools: 1, memory: 1 },
    ]);
    expect((await client.suites.tasks(ref, { id: 'refund' })).matched).toBe(2);
    expect((await client.suites.tasks(ref, { kind: 'rubric' })).matched).toBe(0);
  });

  it('are read one by one with their content', async () => {
    expect(await host.client().suites.task(ref, 'with-tools')).toEqual(SUITE.tasks.at(-1));
    await expect(host.client().suites.task(ref, 'nope')).rejects.toBeInstanceOf(HostResponseError);
  });

  it.each([
    [`${ref}/tasks?kind=some`, 400],
    [`${ref}/tasks?limit=0`, 400],
    ['local.test.evals.nope/tasks', 404],
    ['local.test.evals.nope/tasks/a', 404],
    [`${ref}/tasks/nope`, 404],
  ])('%s is refused with %i', async (path, status) => {
    expect((await host.fetch(`/v1/host/touchstone/suites/${path}`)).status).toBe(status);
  });
});

describe('what many runs are told by', () => {
  it('has no content in it', async () => {
    const paths = [`matrix?runs=${runs.join(',')}`, 'runs', 'counts', `suites/${SUITE.suiteId}@1.0.0/tasks`];
    for (const path of paths)
      expect(await (await host.fetch(`/v1/host/touchstone/${path}`)).text()).not.toContain(CANARY);
  });

  it('counts tasks of the newest run that nobody has reviewed', async () => {
    const client = host.client();
    expect(await client.counts()).toEqual({ approvals: 0, review: 1, running: 0 });
    const [task] = (await client.runs.tasks(other, { outcome: 'failed' })).items;
    const correction = JSON.stringify({ score: 1 });
    await client.runs.annotate(other, {
      target: { eventId: task?.scored ?? '' },
      signal: { kind: 'correction', correction },
      note: 'right after all',
    } as never);
    expect((await client.counts()).review).toBe(0);
  });
});
