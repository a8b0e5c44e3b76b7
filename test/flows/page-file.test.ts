import { asId, type RunId } from '@touchstone/protocol';
import type { Client, TaskListQuery } from '@touchstone/sdk';
import { readPageFile } from '@touchstone/sdk/view';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileSource } from '../../packages/web/src/file/file-source.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: the page over a file shows what the page over a host shows. Method: two runs of one suite, with rubrics, tools, repeats
// and what people said; each question of the page is asked of the host and of the file, and the answers are equal.

const IDS = [
  'order-1',
  'order-2',
  'order-3',
  'refund-1',
  'refund-2',
  'refund-3',
  'tone',
  'rubric-1',
  'rubric-2',
];
const CANARY = 'canary-of-an-answer';
const agentCode = (wrong: readonly string[]) => `export default async ({ q }, ctx) => {
  if (q === 'tone') await ctx.tools.call('local:kb.search', { q });
  return ${JSON.stringify(wrong)}.includes(q) ? '${CANARY}' : q;
};`;
const SAYS = { criterion: '[check:contains {"text":"rubric"}] It names itself.', weight: 0.5 };
const NAMES = { criterion: '[check:not-refused {}] The agent does not refuse.', weight: 0.5 };
const taskOf = (taskId: string) => ({
  taskId,
  input: { q: taskId },
  ...(taskId.startsWith('rubric')
    ? { expected: { kind: 'rubric', rubric: [SAYS, NAMES] } }
    : { expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } } }),
  ...(taskId === 'tone' && {
    fixtures: { toolResponses: [{ tool: 'local:kb.search', response: 'found' }] },
  }),
});
const SUITE = {
  suiteId: 'local.test.evals.file',
  version: '1.0.0',
  modes: ['golden', 'rubric'],
  tasks: IDS.map(taskOf),
};

let host: WholeHost;
let runs: readonly [RunId, RunId];
let live: Client;
const inFile = async (bodies: boolean): Promise<Client> =>
  fileSource(JSON.parse(JSON.stringify(await readPageFile(live, runs, { version: '1.0.0', bodies })))).client;
const evaluate = async (version: string): Promise<RunId> => {
  const { runId } = await live.runs.create({
    mode: 'eval',
    evalSuiteRef: SUITE.suiteId,
    agentId: `local.test.file@${version}`,
    configurable: { repeats: 2 },
  });
  await live.waitForScorecard(asId<RunId>(runId));
  return asId<RunId>(runId);
};
beforeAll(async () => {
  const agents = ['1.0.0', '2.0.0'].map((version) => ({
    agentId: 'local.test.file',
    version,
    run: { kind: 'module', path: `./${version}.mjs` },
    toolAllowlist: ['local:kb.search'],
  }));
  const files = {
    '1.0.0.mjs': agentCode(['refund-1', 'order-1', 'rubric-2']),
    '2.0.0.mjs': agentCode(['refund-1', 'refund-2', 'rubric-1']),
  };
  host = await openWholeHost({ agents }, { files });
  live = host.client();
  await live.suites.install(SUITE as never);
  runs = [await evaluate('1.0.0'), await evaluate('2.0.0')];
  const [, after] = runs;
  const flag = { target: { nodeId: 'refund-1' }, signal: { kind: 'flag' }, note: CANARY } as const;
  await live.runs.annotate(after, flag as never);
});
afterAll(() => host.close());

const QUERIES: readonly TaskListQuery[] = [
  {},
  { outcome: 'failed' },
  { outcome: 'passed', order: '-id' },
  { slice: 'refund', order: 'score' },
  { id: '-2', limit: 1, offset: 1 },
  { order: '-time', limit: 3 },
  { around: 'refund-3', limit: 2 },
  { minScore: 0.2, maxScore: 0.8 },
  { last: 8 },
];

/** The file names no events: nothing can be corrected there. */
const withoutEvents = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (name, part) => (name === 'scored' ? undefined : part)));

describe('a file answers as its host does', () => {
  it.each(QUERIES)('when it is asked for the tasks %j, and for their counts', async (query) => {
    const [before, after] = runs;
    const file = await inFile(false);
    for (const against of [{}, { against: before }, { against: before, change: 'toFail,lower' as const }]) {
      const asked = { ...query, ...against };
      expect(await file.runs.tasks(after, asked)).toEqual(withoutEvents(await live.runs.tasks(after, asked)));
      const { order: _, limit: __, offset: ___, around: ____, last: _____, ...filter } = asked;
      expect(await file.runs.facets(after, filter)).toEqual(await live.runs.facets(after, filter));
    }
  });

  it('when it is asked for runs, reports and the matrix, whichever run comes first', async () => {
    const file = await inFile(false);
    for (const [before = '', after = ''] of [runs, runs.toReversed()]) {
      const [one, other] = [asId<RunId>(before), asId<RunId>(after)];
      expect(await file.runs.get(other)).toEqual(await live.runs.get(other));
      expect(await file.runs.report(other)).toEqual(await live.runs.report(other));
      const against = { against: one };
      expect(await file.runs.report(other, against)).toEqual(await live.runs.report(other, against));
      for (const only of ['flips', 'differ', 'all'] as const) {
        const matrix = { runs: [one, other], only, limit: 5 };
        expect(await file.matrix(matrix)).toEqual(await live.matrix(matrix));
      }
    }
    expect((await file.runs.list()).items.map(({ runId }) => runId)).toEqual(runs);
  });

  it('when it is asked for content that it has', async () => {
    const file = await inFile(true);
    const [, after] = runs;
    for (const taskId of IDS) {
      expect(await file.task(after, taskId)).toEqual(await live.task(after, taskId));
      expect(await file.runs.annotations(after, { taskId })).toEqual(
        await live.runs.annotations(after, { taskId }),
      );
    }
    for (const chars of [3, 400])
      expect(await file.runs.bodies(after, IDS, { chars })).toEqual(
        await live.runs.bodies(after, IDS, { chars }),
      );
    for (const taskId of IDS)
      expect(await file.runs.taskEvents(after, taskId)).toEqual(await live.runs.taskEvents(after, taskId));
    const polls = [
      { limit: 7 },
      { after: 20, limit: 5 },
      { types: ['eval.scored'], limit: 1_000 },
      { limit: 1_000 },
    ];
    for (const poll of polls) {
      const { events } = await live.pollEvents(after, poll);
      expect((await file.pollEvents(after, poll)).events).toEqual(events);
    }
    const search = { text: CANARY.toUpperCase(), filters: { order: 'id' } };
    expect(await file.runs.searchTasks(after, search)).toEqual(
      withoutEvents(await live.runs.searchTasks(after, search)),
    );
  });
});

describe('a file with little room for events', () => {
  it('has those of tasks that did not pass and of the run, and says how many tasks it has left out', async () => {
    const [, after] = runs;
    const failed: readonly string[] = (await live.runs.tasks(after, { outcome: 'failed' })).items.map(
      ({ taskId }) => taskId,
    );
    const one = JSON.stringify((await live.runs.taskEvents(after, failed[0] ?? '')).items).length;
    const eventBytes = one * 2 * (failed.length + 0.5);
    const made = await readPageFile(live, runs, { version: '1.0.0', bodies: true, eventBytes });
    const { client: file, leftOutOf } = fileSource(JSON.parse(JSON.stringify(made)));
    expect(leftOutOf?.(after)).toBeGreaterThan(0);
    expect(leftOutOf?.(after)).toBeLessThanOrEqual(IDS.length - failed.length);
    for (const taskId of failed)
      expect(await file.runs.taskEvents(after, taskId)).toEqual(await live.runs.taskEvents(after, taskId));
    const last = IDS.findLast((taskId) => !failed.includes(taskId)) ?? '';
    await expect(file.runs.taskEvents(after, last)).rejects.toMatchObject({ code: 'left_out', status: 404 });
    const { events } = await file.pollEvents(after, { types: ['run.completed'] });
    expect(events).toEqual((await live.pollEvents(after, { types: ['run.completed'] })).events);
  });
});

describe('a file without content', () => {
  it('has the figures of a task, and says of content that it is not there', async () => {
    const file = await inFile(false);
    const [, after] = runs;
    const { invocations, ...view } = await file.task(after, 'refund-1');
    const { score, passed } = await live.task(after, 'refund-1');
    expect(view).toEqual({ taskId: 'refund-1', score, passed, expected: {} });
    expect(invocations.map(({ result, input }) => [result?.score, input])).toEqual([
      [0, undefined],
      [0, undefined],
    ]);
    const absent = { status: 404, message: 'This is not in the file.' };
    await expect(file.runs.bodies(after, ['refund-1'])).rejects.toMatchObject(absent);
    await expect(file.runs.taskEvents(after, 'tone')).rejects.toMatchObject(absent);
    await expect(file.runs.searchTasks(after, { text: 'x' })).rejects.toMatchObject(absent);
    await expect(file.audit.list()).rejects.toMatchObject(absent);
    expect(JSON.stringify(await readPageFile(live, runs, { version: '1', bodies: false }))).not.toContain(
      CANARY,
    );
  });
});
