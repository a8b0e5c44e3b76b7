import type { Matrix } from '@touchstone/sdk/view';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { openCompareCli, SUITE, TASKS } from '../../testing/compare-cli.js';
import { openPackCli } from '../../testing/pack-cli.js';
import { openTestCli } from '../../testing/test-cli.js';
import { variantsOf } from './variants.js';

/** What `--json` tells of runs side by side. */
type MatrixDocument = {
  readonly runs: readonly {
    readonly runId: string;
    readonly exitCode: number;
    readonly agent: { readonly agentId: string };
    readonly model?: { readonly model: string };
  }[];
  readonly matrix: Matrix;
};
const readDocument = (out: string): MatrixDocument => JSON.parse(out);
const readDocuments = (out: string): readonly MatrixDocument[] => JSON.parse(out);

const RUN = ['run', 'orders.suite.json', '--agent', './good.mjs', '--agent', './bad.mjs'];

let cli: ReturnType<typeof openCompareCli>;
beforeEach(() => {
  cli = openCompareCli();
  cli.writeSuite(TASKS);
  cli.write('good.mjs', 'export default ({ q }) => q;');
  // Right about the first two tasks only.
  cli.write('bad.mjs', 'export default ({ q }) => (q === "one" || q === "two" ? q : "no");');
});
afterEach(() => cli.close());

const runs = async () => JSON.parse((await cli.run('runs', '--json')).out).items;

describe('two agents side by side', () => {
  it('make two runs in the given order and a matrix, and the worst exit code', async () => {
    const { code, out } = await cli.run(...RUN, '--json');
    const document = readDocument(out);
    expect(code).toBe(1);
    expect(document.runs.map(({ agent, exitCode }) => [agent.agentId, exitCode])).toEqual([
      ['local.cli.good', 0],
      ['local.cli.bad', 1],
    ]);
    const { suite, variants, tasks } = document.matrix;
    expect(suite).toBe(`${SUITE}@1.0.0`);
    expect(variants).toMatchObject([
      { name: './good.mjs', options: { agent: './good.mjs' }, score: 1, passed: true },
      { name: './bad.mjs', options: { agent: './bad.mjs' }, passed: false },
    ]);
    expect(variants.map(({ runId }) => runId)).toEqual(document.runs.map(({ runId }) => runId));
    expect(tasks).toHaveLength(TASKS.length);
    expect(tasks[2]).toEqual({ taskId: 'three', scores: [1, 0] });
    expect(await runs()).toHaveLength(2);
  });

  it('are tested pairwise with the numbers that compare says', async () => {
    const { matrix } = readDocument((await cli.run(...RUN, '--json')).out);
    const { regression } = JSON.parse((await cli.run('compare', 'last~1', 'last', '--json')).out);
    const { verdict, scoreDelta, interval, pValue, tasks } = regression;
    expect(verdict).toBe('fail');
    expect(matrix.variants[0]).not.toHaveProperty('againstFirst');
    expect(matrix.variants[1]?.againstFirst).toEqual({ verdict, scoreDelta, interval, pValue, tasks });
  });

  it('are shown as a table of the tasks that differ, and of all with --all', async () => {
    const { out } = await cli.run(...RUN);
    const table = out.slice(out.indexOf('side by side'));
    expect(table).toMatch(/task +\.\/good\.mjs +\.\/bad\.mjs/);
    expect(table).toMatch(/three +1\.00 +0\.00/);
    expect(table).not.toMatch(/\bone +1\.00/);
    expect(table).toContain('2 tasks scored the same by all');
    expect(table).toMatch(/score +1\.00 +0\.22/);
    expect(table).toMatch(/\.\/bad\.mjs against \.\/good\.mjs: worse: −0\.78 \(p/);
    expect((await cli.run(...RUN, '--all')).out).toMatch(/one +1\.00 +1\.00/);
  });

  it('stand in the Markdown summary before the runs', async () => {
    const { out } = await cli.run(...RUN, '--markdown', '-');
    expect(out).toContain(`### Side by side: ${SUITE}@1.0.0`);
    expect(out).toContain('| `three` | 1.00 | 0.00 |');
    expect(out.indexOf('Side by side')).toBeLessThan(out.indexOf('### ✅ PASS'));
  });

  it('of a folder make a list, one matrix for each suite', async () => {
    cli.write('more.suite.json', cli.read('orders.suite.json').replace(SUITE, 'local.test.evals.more'));
    const { out } = await cli.run('run', '.', ...RUN.slice(2), '--json');
    const documents = readDocuments(out);
    expect(documents.map(({ matrix }) => matrix.suite)).toEqual([
      'local.test.evals.more@1.0.0',
      `${SUITE}@1.0.0`,
    ]);
    expect(documents.every((one) => one.runs.length === 2)).toBe(true);
  });

  it('that score alike are called the same', async () => {
    cli.write('bad.mjs', 'export default ({ q }) => q;');
    expect((await cli.run(...RUN)).out).toContain('./bad.mjs against ./good.mjs: the same on 9 tasks');
  });
});

it('Ctrl-C stops the run that is at work and starts no other', async () => {
  // It answers the first task, and then waits for ever.
  cli.write('good.mjs', 'export default ({ q }) => (q === "one" ? q : new Promise(() => undefined));');
  const running = cli.run(...RUN, '--concurrency', '1');
  const reader = openTestCli({ cwd: cli.cwd });
  while (!(await reader.run('show', 'last', '--events')).out.includes('eval.scored'));
  cli.signal('SIGINT');
  const { code, err } = await running;
  expect([code, err]).toEqual([130, expect.stringContaining('Resume with: touchstone run --resume')]);
  expect(await runs()).toHaveLength(1);
});

describe('what cannot be laid side by side', () => {
  it('is an agent that is not there: nothing runs', async () => {
    const { code, err } = await cli.run(
      'run',
      'orders.suite.json',
      '--agent',
      './good.mjs',
      '--agent',
      'nobody',
    );
    expect([code, err]).toEqual([2, expect.stringContaining('There is no agent nobody')]);
    expect(await runs()).toEqual([]);
  });

  it.each([
    ['--budget', '1', '--budget', '2'],
    ['--baseline', 'last', '--baseline', 'blessed'],
    ['--repeats', '1', '--repeats', '2'],
  ])('is %s given twice: none of the two wins', async (flag, ...more) => {
    const { code, err } = await cli.run(...RUN.slice(0, 4), flag, ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(`${flag} is given more than once`)]);
    expect(await runs()).toEqual([]);
  });

  it.each([
    [['--agent', './good.mjs'], '--agent ./good.mjs is given twice'],
    [['--promote'], '--promote is about one run'],
    [['--watch'], '--watch is about one run'],
    [['--model', 'a/b', '--model', 'c/d', '--failed'], '--failed would look up the newest run'],
    [['--model', 'a/b', '--model', 'c/d', '--baseline', 'last'], '--baseline last would look up'],
  ])('is %j', async (more, words) => {
    const { code, err } = await cli.run(...RUN, ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(await runs()).toEqual([]);
  });
});

test('every combination of agents and models is a variant, in the given order', () => {
  const variants = variantsOf({ agent: ['a', 'b'], model: ['m', 'n'], repeats: 3 });
  expect(variants.map(({ name }) => name)).toEqual(['a · m', 'a · n', 'b · m', 'b · n']);
  expect(variants[2]?.options).toEqual({ agent: 'b', model: 'm', repeats: 3 });
  expect(variantsOf({ agent: ['a'], model: ['m', 'n'] }).map(({ choices }) => choices)).toEqual([
    { model: 'm' },
    { model: 'n' },
  ]);
  expect(variantsOf({})).toEqual([{ name: '', choices: {}, options: {} }]);
});

test('models side by side: each is asked in a run of its own, also for the agent of a pack', async () => {
  const packs = openPackCli();
  const models = ['--model', 'offline/one', '--model', 'offline/two'];
  const [document] = readDocuments((await packs.run('run', 'support', ...models, '--json')).out);
  expect(document?.runs.map(({ model }) => model?.model)).toEqual(['one', 'two']);
  expect(document?.matrix.variants.map(({ name }) => name)).toEqual(['offline/one', 'offline/two']);
  packs.close();
});
