import { describe, expect, it } from 'vitest';
import { hasPython } from '../../../agents/fixtures/has-python.js';
import { openJudgeCli, rubricTask } from '../../testing/judge-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const AGENT = "export default ({ q }) => 'ANSWER about ' + q;";

/** A project whose one suite asks the scorer `tone` about every answer. */
function project(scorers: object, check: object = {}, tasks = ['late']): TestCli {
  const cli = openTestCli();
  cli.write('agent.mjs', AGENT);
  cli.write('touchstone.config.json', {
    agents: [{ agentId: 'local.test.support', version: '1.0.0', run: { kind: 'module', path: 'agent.mjs' } }],
    scorers,
  });
  const criterion = `[check:scorer ${JSON.stringify({ name: 'tone', ...check })}] It is kind.`;
  cli.write('tone.suite.json', {
    suiteId: 'local.test.evals.tone',
    version: '1.0.0',
    modes: ['rubric'],
    tasks: tasks.map((taskId) => rubricTask(taskId, [[criterion, 1]])),
  });
  return cli;
}

const module = (source: string, check: object = {}, more: object = {}): TestCli => {
  const cli = project({ tone: { kind: 'module', path: 'tone.mjs', ...more } }, check);
  cli.write('tone.mjs', source);
  return cli;
};

const ran = async (cli: TestCli, ...options: string[]) => {
  const { code, out, err } = await cli.run('run', 'tone.suite.json', '--json', ...options);
  const { summary, rubrics = [], report } = JSON.parse(out);
  return {
    code,
    err,
    report,
    scores: summary.tasks.map(({ score }: { score: number }) => score),
    criteria: rubrics[0]?.criteria,
    unscored: report.tasks.unscoredTasks?.[0]?.reason,
  };
};

describe('a suite that names a scorer', () => {
  it.each([
    ['nobody registered', project({})],
    ['another tenant was granted', module('export default () => 1;', {}, { tenants: ['acme'] })],
  ])('which %s is refused, and nothing is created', async (_, cli) => {
    const { code, err } = await cli.run('run', 'tone.suite.json');
    expect(code).toBe(2);
    expect(err).toContain('the scorer "tone"');
    expect((await cli.run('runs', '--json')).out).not.toContain('"runId"');
  });

  it('whose file is not there is refused with its path', async () => {
    const { code, err } = await project({ tone: { kind: 'module', path: 'absent.mjs' } }).run(
      'run',
      'tone.suite.json',
    );
    expect(code).toBe(2);
    expect(err).toContain('absent.mjs');
  });

  it('whose entry names a variable that is not set is refused with its name, also by doctor', async () => {
    const cli = module('export default () => 1;', {}, { path: '${TONE_FOLDER}/tone.mjs' });
    const { code, err } = await cli.run('run', 'tone.suite.json');
    expect([code, err]).toEqual([2, expect.stringContaining('TONE_FOLDER')]);
    const doctor = await cli.run('doctor', '--json');
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.out).checks).toContainEqual(
      expect.objectContaining({
        name: 'scorer',
        state: 'broken',
        detail: expect.stringContaining('TONE_FOLDER'),
      }),
    );
    cli.write('.env', 'TONE_FOLDER=.\n');
    expect((await cli.run('run', 'tone.suite.json')).code).toBe(0);
    expect((await cli.run('doctor')).out).toContain('tone');
  });

  it('hands over the variables that its entry names, and those alone', async () => {
    const program =
      'process.stdout.write(JSON.stringify(process.env.A === "1" && process.env.B === "2" && !process.env.C))';
    const env = { B: '${TONE_B}' };
    const cli = project({
      tone: { kind: 'command', command: process.execPath, args: ['-e', program], env, passEnv: ['A'] },
    });
    cli.write('.env', 'A=1\nTONE_B=2\nC=3\n');
    const { code, criteria } = await ran(cli);
    expect([code, criteria]).toMatchObject([0, [{ met: 1 }]]);
  });

  it('counts the score of the program against the least that is asked for', async () => {
    const { code, criteria } = await ran(module('export default () => 0.6;', { min: 0.7 }));
    expect(code).toBe(1);
    expect(criteria).toMatchObject([{ met: 0, value: 0.6, check: 'scorer' }]);
    expect(criteria[0].scorer).toMatch(/^sha256:/);
  });

  it('counts by degree where the criterion asks for it', async () => {
    const { scores } = await ran(module('export default () => 0.6;', { min: 0.7, graded: true }));
    expect(scores).toEqual([0.6]);
  });

  it.each([
    ['true', 1, 1],
    ['false', 0, 0],
    ['{ score: 0.2, met: true, reason: "REASON" }', 1, 0.2],
    ['{ score: 0.5 }', 1, 0.5],
  ])('takes %s as a verdict', async (given, met, value) => {
    const { criteria } = await ran(module(`export default () => (${given});`));
    expect(criteria).toMatchObject([{ met, value }]);
  });

  it('gives the program the question, the answer and its configuration, and nothing that others decided', async () => {
    const cli = module(
      `export default (given) => ({ score: 1, reason: Object.keys(given).sort().join() + ' ' + JSON.stringify([given.protocol, given.input, given.output, given.config]) });`,
      { config: { strict: true } },
    );
    await cli.run('run', 'tone.suite.json');
    const { out } = await cli.run('show', 'last', '--task', 'late', '--bodies', '--json');
    expect(out).toContain('config,input,latencyMs,outcome,output,protocol,toolCalls,usage');
    for (const part of ['touchstone.scorer/1', 'ANSWER about late', 'strict']) expect(out).toContain(part);
  });

  it.each([
    ['returns 7', '() => 7', 'scorer_unreadable'],
    ['returns a text', '() => "good"', 'scorer_unreadable'],
    ['throws', '() => { throw new Error("no") }', 'scorer_failed'],
    ['hangs', '() => new Promise(() => undefined)', 'scorer_failed'],
    ['keeps its thread busy', '() => { for (;;); }', 'scorer_failed'],
  ])('leaves the task unscored when the program %s', async (_, source, reason) => {
    const { code, unscored } = await ran(module(`export default ${source};`, {}, { timeoutMs: 100 }));
    expect(code).toBe(3);
    expect(unscored).toBe(reason);
  });

  it('tells of a program that takes too long as of a scorer, not as of the agent', async () => {
    const cli = module('export default () => new Promise(() => undefined);', {}, { timeoutMs: 100 });
    await cli.run('run', 'tone.suite.json');
    const { out } = await cli.run('show', 'last', '--task', 'late', '--bodies');
    expect(out).toContain('Scorer tone: Timed out after 100 ms.');
  });

  it('does not ask about an answer that there is not', async () => {
    const cli = module('export default () => { throw new Error("asked") };');
    cli.write('agent.mjs', 'export default () => { throw new Error("no answer") };');
    const { code, scores, unscored } = await ran(cli);
    expect(code).toBe(1);
    expect([scores, unscored]).toEqual([[0], undefined]);
  });

  it('takes the verdict of a command, one document in and one out', async () => {
    const script =
      'let s="";process.stdin.on("data",(c)=>s+=c).on("end",()=>console.log(JSON.stringify(JSON.parse(s).output.includes("ANSWER"))))';
    const cli = project({ tone: { kind: 'command', command: process.execPath, args: ['-e', script] } });
    const { code, scores } = await ran(cli);
    expect([code, scores]).toEqual([0, [1]]);
  });

  it('takes the verdicts of one command line by line', async () => {
    const script =
      'let n=0;require("readline").createInterface({input:process.stdin}).on("line",()=>console.log(++n/2))';
    const tone = {
      kind: 'command',
      command: process.execPath,
      args: ['-e', script],
      protocol: 'lines',
      processes: 1,
    };
    const { scores } = await ran(project({ tone }, { graded: true }, ['one', 'two']));
    expect(scores.sort()).toEqual([0.5, 1]);
  });

  it.skipIf(!hasPython())('takes the verdict of a Python function', async () => {
    const cli = project({ tone: { kind: 'python', path: 'tone.py' } });
    cli.write(
      'tone.py',
      'def score(given):\n    return {"score": 0.9, "met": "ANSWER" in given["output"]}\n',
    );
    const { code, criteria } = await ran(cli);
    expect(code).toBe(0);
    expect(criteria).toMatchObject([{ met: 1, value: 0.9 }]);
  });
});

describe('a run that a scorer took part in', () => {
  const KIND = 'export default () => 1;';

  it('names the scorer in its report, and says that it is no evidence', async () => {
    const { out } = await module(KIND).run('run', 'tone.suite.json', '--json');
    const { caveats, report } = JSON.parse(out);
    expect(caveats).toEqual(['codeScorer']);
    expect(report).toMatchObject({ caveats: ['codeScorer'], scorers: [{ name: 'tone' }] });
  });

  it('carries no caveat when the operator trusts the scorer', async () => {
    const { out } = await module(KIND, {}, { evidence: true }).run('run', 'tone.suite.json', '--json');
    const { caveats, report } = JSON.parse(out);
    expect([caveats, report.scorers[0].evidence]).toEqual([undefined, true]);
  });

  it('is not compared with one of an edited scorer, unless the caller lets that pass', async () => {
    const cli = module(KIND);
    const first = JSON.parse((await cli.run('run', 'tone.suite.json', '--json')).out);
    cli.write('words.mjs', 'export const score = 1;');
    cli.write('tone.mjs', "import { score } from './words.mjs';\nexport default () => score;");
    const alone = await cli.run('run', 'tone.suite.json', '--baseline', 'last');
    expect(alone.out + alone.err).toContain('a scorer has changed since');
    const refused = await cli.run('run', 'tone.suite.json', '--baseline', first.runId);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('another state of a scorer')]);
    const passed = await cli.run(
      'run',
      'tone.suite.json',
      '--baseline',
      first.runId,
      '--allow-judge-mismatch',
    );
    expect(passed.code).toBe(0);
    const compared = await cli.run('compare', first.runId, 'last');
    expect([compared.code, compared.err]).toEqual([2, expect.stringContaining('A scorer has changed')]);
  });

  it('notices an edit of a file that the scorer imports', async () => {
    const cli = module("import { score } from './words.mjs';\nexport default () => score;");
    cli.write('words.mjs', 'export const score = 1;');
    await cli.run('run', 'tone.suite.json');
    cli.write('words.mjs', 'export const score = 0.9;');
    const { out, err } = await cli.run('run', 'tone.suite.json', '--baseline', 'last');
    expect(out + err).toContain('a scorer has changed since');
  });

  it.each([
    ['is denied a promotion', {}, 1, 'scorer_not_trusted'],
    ['is promoted where the operator trusts the scorer', { evidence: true }, 0, undefined],
  ])('%s', async (_, more, exitCode, reason) => {
    const cli = module(KIND, {}, more);
    await cli.run('run', 'tone.suite.json');
    const { code, out } = await cli.run(
      'promote',
      'local.test.support@1.0.0',
      '--to',
      'staged',
      '--eval-run',
      'last',
      '--json',
    );
    expect(code).toBe(exitCode);
    expect(JSON.parse(out).error?.details?.reason).toBe(reason);
  });

  it('keeps the recorded verdict when its answers are judged again', async () => {
    const cli = openJudgeCli();
    cli.configure({ scorers: { tone: { kind: 'module', path: 'tone.mjs' } } });
    cli.write('tone.mjs', KIND);
    const both = rubricTask('rude', [
      ['SENTENCE-THREE: it is polite.', 0.5],
      ['[check:scorer {"name":"tone"}] It is kind.', 0.5],
    ]);
    cli.write('tone.suite.json', {
      suiteId: 'local.test.evals.tone',
      version: '1.0.0',
      modes: ['rubric'],
      tasks: [both],
    });
    await cli.run('run', 'tone.suite.json');
    cli.write('tone.mjs', 'export default () => { throw new Error("asked again") };');
    const { code, out } = await cli.run('rejudge', 'last', '--judge', 'offline/mild', '--json');
    expect(code).not.toBe(3);
    expect(JSON.parse(out).rubrics[0].criteria[1]).toMatchObject({ met: 1, value: 1 });
  });
});
