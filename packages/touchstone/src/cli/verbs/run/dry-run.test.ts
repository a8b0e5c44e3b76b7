import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openJudgeCli } from '../../testing/judge-cli.js';
import { openPackCli } from '../../testing/pack-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const open: TestCli[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

function project(): TestCli {
  const cli = openTestCli();
  open.push(cli);
  const task = (taskId: string) => ({
    taskId,
    input: taskId,
    expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
  });
  const tasks = ['a-1', 'a-2', 'b-1'].map(task);
  cli.write('evals/one.suite.json', {
    suiteId: 'local.test.evals.one',
    version: '1.0.0',
    modes: ['golden'],
    tasks,
  });
  cli.write('agent.mjs', 'throw new Error("nobody is to be asked");');
  return cli;
}

const DRY = ['run', 'evals/one.suite.json', '--agent', 'agent.mjs', '--dry-run'];

/** The store by its content. SQLite counts in two places of its header how often a file was opened to write. */
function contentOf(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => !name.endsWith('-shm'));
  return names.sort().map((name) => {
    const bytes = readFileSync(join(folder, name));
    if (name === 'touchstone.db') for (const at of [24, 92]) bytes.fill(0, at, at + 4);
    return `${name} ${createHash('sha256').update(bytes).digest('hex')}`;
  });
}

describe('a dry run', () => {
  it('tells what would run, asks nobody and keeps nothing', async () => {
    const cli = project();
    const { code, out } = await cli.run(...DRY, '--repeats', '3', '--only', 'a-*');
    expect([code, out]).toEqual([
      0,
      `  local.test.evals.one@1.0.0, agent local.cli.agent@0.0.0
    2 tasks, 3 repeats: 6 invocations
    0 judge questions at most
    live tools: none
    cost: no estimate
`,
    ]);
    expect(cli.has('.touchstone')).toBe(false);
  });

  it('is one document with --json, and a list for a folder', async () => {
    const cli = project();
    const document = {
      suite: 'local.test.evals.one@1.0.0',
      agent: 'local.cli.agent@0.0.0',
      tasks: 3,
      repeats: 1,
      invocations: 3,
      judgeQuestions: 0,
      liveTools: [],
      cost: { basis: 'no estimate' },
    };
    expect(JSON.parse((await cli.run(...DRY, '--json')).out)).toEqual(document);
    const folder = ['run', 'evals', '--agent', 'agent.mjs', '--dry-run', '--json'];
    expect(JSON.parse((await cli.run(...folder)).out)).toEqual([document]);
  });

  it('leaves the store untouched, also of a suite that has changed since', async () => {
    const cli = project();
    cli.write('agent.mjs', 'export default (input) => input;');
    await cli.run('run', 'evals', '--agent', 'agent.mjs');
    const before = contentOf(join(cli.cwd, '.touchstone'));
    cli.write('evals/one.suite.json', cli.read('evals/one.suite.json').replaceAll('a-1', 'a-9'));
    expect((await cli.run(...DRY)).code).toBe(0);
    expect(
      (await cli.run('run', 'local.test.evals.one@1.0.0', '--agent', 'agent.mjs', '--dry-run')).code,
    ).toBe(0);
    expect(contentOf(join(cli.cwd, '.touchstone'))).toEqual(before);
  });

  it('counts only what failed in the last run', async () => {
    const cli = project();
    cli.write('agent.mjs', 'export default (input) => (input === "b-1" ? "no" : input);');
    await cli.run('run', 'evals', '--agent', 'agent.mjs');
    expect(JSON.parse((await cli.run(...DRY, '--failed', '--json')).out)).toMatchObject({ tasks: 1 });
  });

  it('counts questions to the judge over all votes, and scales what the last run has cost', async () => {
    const cli = openJudgeCli();
    open.push(cli);
    cli.configure({ judge: { model: 'offline/strict', votes: 3 } });
    const tone = ['run', 'tone.suite.json', '--agent', 'local.test.support'];
    const [before] = [await cli.run(...tone, '--json')];
    const { runId, judgeUsd } = JSON.parse(before.out);
    const { out } = await cli.run(...tone, '--dry-run', '--repeats', '2', '--json');
    const { judgeQuestions, cost } = JSON.parse(out);
    // Two tasks with a sentence for the judge, two repeats, three votes.
    expect(judgeQuestions).toBe(12);
    expect(cost).toEqual({ usd: judgeUsd * 2, basis: `run ${runId}, scaled` });
  });

  it('of what failed says so when nothing had, and names suites of a folder without a match', async () => {
    const cli = project();
    cli.write('agent.mjs', 'export default (input) => input;');
    await cli.run('run', 'evals', '--agent', 'agent.mjs');
    const none = await cli.run(...DRY, '--failed');
    expect([none.code, none.err]).toEqual([0, expect.stringContaining('nothing failed in run')]);
    cli.write(
      'evals/two.suite.json',
      cli.read('evals/one.suite.json').replaceAll('.one', '.two').replaceAll('b-', 'c-'),
    );
    const some = await cli.run('run', 'evals', '--agent', 'agent.mjs', '--dry-run', '--only', 'b-1');
    expect([some.code, some.err]).toEqual([0, expect.stringContaining('evals.two@1.0.0 would not be run')]);
  });

  it('names the tools that would be called for real', async () => {
    const desk = openPackCli();
    open.push(desk);
    const tool = { toolId: 'local:kb.search', kind: 'http', url: 'http://127.0.0.1:9/' };
    desk.configure({ tools: [tool] });
    const live = ['run', 'support', '--dry-run', '--json'];
    const { out, err } = await desk.run(...live, '--modes', 'live-shadow');
    expect([err, JSON.parse(out)]).toEqual([
      '',
      [expect.objectContaining({ liveTools: ['local:kb.search'] })],
    ]);
    expect(JSON.parse((await desk.run(...live)).out)).toEqual([expect.objectContaining({ liveTools: [] })]);
  });

  it('is refused where the run would be', async () => {
    const cli = project();
    expect((await cli.run(...DRY, '--only', 'nope')).code).toBe(2);
    expect((await cli.run(...DRY.slice(0, 2), '--agent', 'absent.mjs', '--dry-run')).code).toBe(2);
    const { code, err } = await cli.run(...DRY, '--junit', 'r.xml');
    expect([code, err]).toEqual([2, expect.stringContaining('--dry-run runs nothing')]);
  });
});
