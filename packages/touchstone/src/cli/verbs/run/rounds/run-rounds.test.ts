import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../../testing/test-cli.js';
import { dealTasks, usualRound } from './round-tasks.js';

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
  cli.write('big.suite.json', suiteOf(200));
  agent(() => 'true');
});
afterEach(() => cli.close());

const suiteOf = (count: number) => ({
  suiteId: 'local.test.evals.big',
  version: '1.0.0',
  modes: ['golden'],
  thresholds: { passScore: 0.8 },
  tasks: Array.from({ length: count }, (_, at) => ({
    taskId: `t-${at}`,
    input: at,
    expected: { kind: 'golden', match: { strategy: 'json-match', value: at } },
  })),
});
/** Which inputs the agent answers rightly, as a JavaScript expression. */
const agent = (isRight: () => string): void =>
  cli.write('agent.mjs', `export default (input) => (${isRight()}) ? input : null;`);
const RUN = ['run', 'big.suite.json', '--agent', 'agent.mjs'];
const ROUNDS = [...RUN, '--until-conclusive'];
const document = async (...more: string[]) => {
  const { code, out } = await cli.run(...ROUNDS, ...more, '--json');
  return { code, ...JSON.parse(out) };
};

describe('an evaluation in rounds', () => {
  it('stops as soon as the score is certainly good enough', async () => {
    const { code, looks, decided, selected } = await document();
    expect([code, decided, selected, looks.at(-1).verdict]).toEqual([0, true, 200, 'pass']);
    expect(looks.at(-1).tasks).toBeLessThan(100);
  });

  it('stops as soon as it certainly is not', async () => {
    agent(() => 'input % 2');
    const { code, looks } = await document();
    expect([code, looks.at(-1).verdict]).toEqual([1, 'fail']);
    expect(looks.at(-1).tasks).toBeLessThan(200);
  });

  it('runs every task once where chance could decide, and says so with 3', async () => {
    agent(() => 'input % 5');
    const { code, out } = await cli.run(...ROUNDS);
    expect(code).toBe(3);
    expect(out).toContain('INCONCLUSIVE');
    expect(out).toContain('All tasks were run.');
    const { items } = JSON.parse((await cli.run('runs', '--json', '--limit', '50')).out);
    const tasks = items.map(({ headline }: { headline: { taskCount: number } }) => headline.taskCount);
    expect(tasks.reduce((sum: number, one: number) => sum + one, 0)).toBe(200);
    expect(items.length).toBe(10);
  });

  it('stops at a real regression, and compares with the newest run that has all tasks', async () => {
    expect((await cli.run(...RUN)).code).toBe(0);
    expect((await document()).code).toBe(0);
    agent(() => 'input % 3');
    const { code, looks, against } = await document('--baseline', 'last', '--tolerance', '0.05');
    expect(code).toBe(1);
    expect(looks.at(-1).regression).toMatchObject({ verdict: 'fail' });
    const { items } = JSON.parse((await cli.run('runs', '--json', '--limit', '50')).out);
    const whole = items.find((run: { headline: { taskCount: number } }) => run.headline.taskCount === 200);
    expect(against).toBe(whole.runId);
  });

  it('goes on without a comparison when there is nothing to compare with', async () => {
    const { code, err } = await cli.run(...ROUNDS, '--baseline', 'last');
    expect([code, err.includes('Not compared with a baseline')]).toEqual([0, true]);
  });

  it('rounds are no evaluations of their own: none is the last run, nor a baseline', async () => {
    expect((await cli.run(...RUN)).code).toBe(0);
    expect((await cli.run(...ROUNDS)).code).toBe(0);
    const { out } = await cli.run('show', 'last', '--json');
    expect(JSON.parse(out).summary.taskCount).toBe(200);
  });

  it('takes the size of a round, and tasks of a selection', async () => {
    const { looks, selected } = await document('--round', '30', '--only', 't-1*');
    expect([selected, looks[0].tasks]).toEqual([111, 30]);
  });

  it('a first round that could not be judged is told like any run, with 3', async () => {
    const service = createServer((_, answer) => answer.writeHead(401).end()).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const { code, out } = await cli.run('run', 'big.suite.json', '--agent', url, '--until-conclusive');
    expect([code, out.includes('401')]).toEqual([3, true]);
    service.close();
  });

  it.each([
    ['--watch'],
    ['--confirm', '2', '--baseline', 'last'],
    ['--common', '--baseline', 'last'],
    ['--junit', 'x.xml'],
    ['--first', '3'],
    ['--promote'],
  ])('does not go with %s', async (...flags) => {
    const { code, err } = await cli.run(...ROUNDS, ...flags);
    expect([code, err.includes('--until-conclusive')]).toEqual([2, true]);
  });

  it('has no rounds to size without it, and evaluates one agent', async () => {
    expect((await cli.run(...RUN, '--round', '5')).code).toBe(2);
    cli.write('other.mjs', cli.read('agent.mjs'));
    expect((await cli.run(...ROUNDS, '--agent', 'other.mjs')).code).toBe(2);
  });
});

describe('the tasks of rounds', () => {
  const ids = Array.from({ length: 100 }, (_, at) => `t-${at}`);
  it('are each in one round, in an order that depends on nothing but suite and id', () => {
    const rounds = dealTasks(ids, 'a@1', 30);
    expect(rounds.map(({ length }) => length)).toEqual([30, 30, 30, 10]);
    expect(rounds.flat().toSorted()).toEqual(ids.toSorted());
    expect(dealTasks(ids.toReversed(), 'a@1', 30)).toEqual(rounds);
    expect(dealTasks(ids, 'b@1', 30)).not.toEqual(rounds);
  });
  it('are a tenth of all, and at least 16', () => {
    expect([usualRound(10), usualRound(160), usualRound(1_000)]).toEqual([16, 16, 100]);
  });
});
