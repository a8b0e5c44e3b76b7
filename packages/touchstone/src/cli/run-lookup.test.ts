import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOCAL_OWNER } from './local.js';
import { type EvidenceCli, openEvidenceCli } from './testing/evidence-cli.js';

let desk: EvidenceCli;
beforeEach(() => {
  desk = openEvidenceCli();
});
afterEach(() => desk.close());

const fork = async (...argv: string[]): Promise<RunId> =>
  asId<RunId>(JSON.parse((await desk.run('replay', 'last', ...argv, '--json')).out).runId);
const told = async (...argv: string[]) => JSON.parse((await desk.run(...argv, '--json')).out);

test('last and last~n mean the same run in every verb: branches count, replays do not', async () => {
  const source = await desk.runSuite();
  const branch = await fork('--branch', '--from', '0');
  await fork();
  for (const [wanted, runId] of [
    ['last', branch],
    ['last~1', source],
  ] as const) {
    expect((await told('show', wanted)).runId).toBe(runId);
    expect((await told('export', wanted, '--out', `${wanted}.json`)).runId).toBe(runId);
    expect((await told('annotate', wanted, '--list')).runId).toBe(runId);
    expect((await told('replay', wanted)).sourceRunId).toBe(runId);
    expect((await told('replay', wanted, '--branch', '--from', '999')).error.message).toContain('ends at');
  }
  expect((await told('baseline', 'bless', 'last~1')).blessed.runId).toBe(source);
  expect((await desk.run('baseline', 'bless', 'last')).err).toContain(`Run ${branch}`);
  const compared = await told('compare', 'last~1', 'last');
  expect([compared.before.runId, compared.after.runId]).toEqual([source, branch]);
  const far = await desk.run('show', 'last~2');
  expect([far.code, far.err]).toEqual([2, expect.stringContaining('not enough runs here for last~2')]);
});

describe('a fork', () => {
  test('is marked in its scorecard, its reports and the list of runs', async () => {
    const source = await desk.runSuite();
    const replay = await fork();
    const branch = await fork('--branch', '--from', '0');
    const replayed = `A replay of run ${source}: the same facts again.`;
    expect((await desk.run('show', replay)).out.replaceAll(/\s+/g, ' ')).toContain(replayed);
    expect((await desk.run('show', replay, '--markdown', '-')).out).toContain(`\n\n${replayed}\n\n`);
    expect((await told('show', replay)).fork).toEqual({ source, mode: 'replay', fromSeq: 0 });
    expect((await told('show', source)).fork).toBeUndefined();
    const { out } = await desk.run('show', branch);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`A branch of run ${source} from event 0:`);
    expect((await desk.run('runs')).out).toMatch(
      /✗ failed \(branch\).*\n.*✗ failed \(replay\).*\n.*✗ failed {2}/,
    );
    const { items } = await told('runs');
    expect(items.map((run: { fork?: { mode: string } }) => run.fork?.mode)).toEqual([
      'branch',
      'replay',
      undefined,
    ]);
  });
});

test('a run that was stopped is called interrupted by whoever wants it finished', async () => {
  const source = await desk.runSuite();
  const stopped = await desk.inStore(async ({ store }) => {
    const { principal, origin, workflowId, plan, request, createdAt, engineVersion, owner } =
      (await store.runs.get(LOCAL_OWNER, source)) ?? raise();
    const runId = asId<RunId>('stopped');
    const row = { runId, owner, principal, origin, workflowId, plan, request, createdAt, engineVersion };
    await store.runs.create(row);
    return runId;
  });
  for (const argv of [
    ['export', stopped],
    ['replay', stopped],
    ['baseline', 'bless', stopped],
    ['compare', source, stopped],
  ]) {
    const { code, err } = await desk.run(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining('Run stopped is interrupted')]);
  }
});

const raise = (): never => {
  throw new Error('There is no such run.');
};

describe('--model', () => {
  test('is refused for an agent that brings its own', async () => {
    const run = await desk.run('run', 'say.suite.json', '--agent', 'agent.mjs', '--model', 'a/b');
    expect([run.code, run.err]).toEqual([
      2,
      expect.stringContaining('of kind module and brings its own model'),
    ]);
    expect(JSON.parse((await desk.run('runs', '--json')).out).items).toEqual([]);
    await desk.runSuite();
    const branch = await desk.run('replay', 'last', '--branch', '--from', '0', '--model', 'a/b');
    expect([branch.code, branch.err]).toEqual([2, expect.stringContaining('brings its own model')]);
  });

  test('of a folder is told as one refusal each, by its own code', async () => {
    for (const name of ['a', 'b'])
      writeFileSync(
        join(desk.cwd, `${name}.suite.json`),
        desk.read('say.suite.json').replace('evals.say', `evals.${name}`),
      );
    const { code, out } = await desk.run('run', '.', '--agent', 'agent.mjs', '--model', 'a/b', '--json');
    expect(code).toBe(2);
    for (const { error } of JSON.parse(out))
      expect(error).toEqual({ code: 'cli_error', message: expect.stringMatching(/^Agent /) });
  });
});

test('what was typed cannot colour the screen through an error', async () => {
  for (const argv of [['show', '\u001b[31mred'], ['run', '--\u001b[31mred'], ['\u001b[31mred']]) {
    const { code, err } = await desk.run(...argv);
    expect(code).toBe(2);
    expect(err).toContain('\\u001b[31mred');
    expect(err).not.toContain('\u001b');
  }
});
