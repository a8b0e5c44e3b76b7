import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { decides } from './judge-host.js';
import { startModelServer } from './pack-host.js';

// Goal: a file of labels makes a judge believable for a gate, and shows when the judge has changed. Method: the real command
// line in a folder of its own, with a judge on loopback that a switch makes worse.

const SUITE = 'local.test.evals.tone';
const AGENT = 'local.test.clerk';
const TASKS = 20;
let desk: TestCli;
let judge: Awaited<ReturnType<typeof startModelServer>>;
/** The judge errs about answers whose number is below this. */
let wrongBelow = 0;

beforeAll(async () => {
  judge = await startModelServer(
    decides((sentence, { answered }) => {
      const n = Number(/\d+/.exec(String(answered))?.[0]);
      return sentence.includes('polite') !== n < wrongBelow;
    }),
  );
  desk = openTestCli();
  desk.write('agent.mjs', 'export default ({ n }) => `Answer ${n}.`;');
  desk.write('tone.suite.json', suite('1.0.0'));
  desk.write('labels.jsonl', labels());
  desk.write('touchstone.config.json', {
    providers: { local: { kind: 'openai-compatible', baseUrl: judge.baseUrl } },
    judge: { model: 'local/judge-1' },
    agents: [{ agentId: AGENT, version: '1.0.0', run: { kind: 'module', path: 'agent.mjs' } }],
    gates: [
      {
        agentId: '*',
        to: 'test',
        requiredEval: {
          suite: SUITE,
          requiredPassScore: 0,
          judge: { minKappa: 0.6, minLabels: 30, conservative: true },
        },
      },
    ],
  });
});
afterAll(async () => {
  desk.close();
  await judge.close();
});

const CRITERIA = ['It is polite.', 'It is long.'];
function suite(version: string, criteria: readonly string[] = CRITERIA): object {
  const rubric = criteria.map((criterion) => ({ criterion, weight: 1 }));
  const tasks = Array.from({ length: TASKS }, (_, n) => ({
    taskId: `t-${n}`,
    input: { n },
    expected: { kind: 'rubric', rubric },
  }));
  return { suiteId: SUITE, version, modes: ['rubric'], tasks };
}
/** Of a person to whom every answer is polite and none is long. */
function labels(criteria: readonly string[] = CRITERIA): string {
  const lines = Array.from({ length: TASKS }, (_, n) =>
    criteria.map((criterion) => ({
      input: { n },
      output: `Answer ${n}.`,
      criterion,
      met: criterion.includes('polite'),
    })),
  );
  return lines
    .flat()
    .map((line) => JSON.stringify(line))
    .join('\n');
}
const check = (...more: string[]) => desk.run('judge', 'check', 'labels.jsonl', ...more);
const promote = () => desk.run('promote', `${AGENT}@1.0.0`, '--to', 'test', '--eval-run', 'last', '--json');

describe('a check of a judge that is kept', () => {
  it('opens the gate that asks for it, for the suite and the judge it was made with', async () => {
    expect((await desk.run('run', 'tone.suite.json', '--agent', AGENT)).code).toBeLessThan(2);
    const refused = await promote();
    expect([refused.code, refused.out + refused.err]).toEqual([
      1,
      expect.stringContaining('judge_uncalibrated'),
    ]);
    const kept = await check('--suite', SUITE);
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining(`40 labels for ${SUITE}@1.0.0`) });
    expect((await promote()).code).toBe(0);
    const audit = await desk.run('audit', 'list', '--json');
    expect(audit.out).toContain('judges:calibrate');
  });

  it('keeps nothing of labels whose criteria the suite does not have, and says so', async () => {
    desk.write('labels.jsonl', labels(['It is very polite.', 'It is too long.']));
    expect(await check('--suite', SUITE)).toMatchObject({
      code: 2,
      err: expect.stringContaining('None of the labels is about a criterion'),
    });
    desk.write('labels.jsonl', labels(['It is polite.', 'It is too long.']));
    const { out } = await check('--suite', SUITE);
    expect(out).toContain('20 about criteria that it does not have');
    desk.write('labels.jsonl', labels());
    expect(await check('--suite', 'local.test.evals.none')).toMatchObject({ code: 2 });
    expect(await check('--suite', SUITE, '--judge', 'local/judge-2', '--votes', '2')).toMatchObject({
      code: 0,
    });
  });
});

describe('a judge that is asked again', () => {
  it('has not moved when it says the same, and is told when it got worse', async () => {
    const before = await check('--json');
    desk.write('before.json', before.out);
    expect(readFileSync(join(desk.cwd, 'before.json'), 'utf8')).not.toMatch(/polite|Answer/);
    expect(await check('--against', 'before.json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('100 % → 100 % of 40 labels'),
    });
    wrongBelow = 2;
    expect(await check('--against', 'before.json')).toMatchObject({ code: 0 });
    wrongBelow = 6;
    const worse = await check('--against', 'before.json');
    expect(worse).toMatchObject({ code: 1, out: expect.stringContaining('12 lost, 0 gained') });
    expect(JSON.parse((await check('--against', 'before.json', '--json')).out)).toMatchObject({
      exitCode: 1,
      drift: { pairs: 40, lost: 12, gained: 0, worse: true },
    });
  });

  it('can be held against a record, which others cannot read', async () => {
    wrongBelow = 0;
    const { record } = JSON.parse((await check('--suite', SUITE, '--json')).out) as {
      record: { recordId: string };
    };
    expect(await check('--against', record.recordId)).toMatchObject({ code: 0 });
    const other = await check('--against', record.recordId, '--judge', 'local/judge-2');
    expect(other).toMatchObject({ code: 0, out: expect.stringContaining('was of another judge') });
    expect(await check('--against', record.recordId, '--tenant', 'other')).toMatchObject({ code: 2 });
    desk.write('not.json', '{"verdicts":[{"task":1}]}');
    expect(await check('--against', 'not.json')).toMatchObject({ code: 2 });
  });
});
