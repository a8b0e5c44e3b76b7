import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AGENT,
  AGREED,
  commandIn,
  type DeployCli,
  openDeployCli,
  PROVEN,
  SUITE,
  steady,
} from '../../testing/deployment-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

let desk: DeployCli;
beforeEach(() => {
  desk = openDeployCli();
});
afterEach(() => desk.close());

const OLD = `${AGENT}@1.0.0`;
const NEW = `${AGENT}@1.1.0`;
const MODULE = { kind: 'module', path: 'agent.mjs' };
const table = async () => steady((await desk.run('deployments', AGENT)).out);

describe('a promotion', () => {
  test('takes one step after the other, each a run of its own, and ends where it was to go', async () => {
    const { code, out } = await desk.run('promote', OLD, '--channel', 'stable');
    expect(code).toBe(0);
    expect(steady(out)).toMatchInlineSnapshot(`
      "  ✓ draft → test          run-…
        ✓ test → staged         run-…
        ✓ staged → active       run-…
        local.acme.support@1.0.0 is now active on stable, latest
      "
    `);
    expect(await desk.moves()).toEqual(Array(3).fill('deployment.promoted'));
    expect(await table()).toMatchInlineSnapshot(`
      "  version  state   share  channels        evidence
        1.0.0    active  100 %  stable, latest  –
        1.1.0    draft   –      –               –
      "
    `);
  });

  test('goes no further than asked, and on from where it is', async () => {
    expect((await desk.json('promote', OLD, '--to', 'test')).document.record).toMatchObject({
      state: 'test',
    });
    const { document } = await desk.json('promote', OLD, '--to', 'active');
    expect(document.steps.map(({ toState, outcome }) => [toState, outcome])).toEqual([
      ['staged', 'moved'],
      ['active', 'moved'],
    ]);
  });

  test('stops at the first gate that is not met, and what it says to type leads through', async () => {
    desk.configure({ gates: [PROVEN] });
    const refused = await desk.run('promote', OLD, '--channel', 'stable');
    expect(refused.code).toBe(1);
    expect(steady(refused.out)).toMatchInlineSnapshot(`
      "  ✓ draft → test          run-…
        ✓ test → staged         run-…
        ✗ staged → active       run-…
          No deployment without evidence: The gate asks for an eval run and none was
          named. Run the suite, then give its run id.
        local.acme.support@1.0.0 is now staged

        touchstone run local.acme.evals.refunds --agent local.acme.support@1.0.0 --promote --channel stable
          make the evidence, and promote on it
      "
    `);
    const typed = await desk.run(...commandIn(refused.out, 'run'));
    expect(typed.code, typed.err + typed.out).toBe(0);
    expect(await table()).toMatch(/1\.0\.0 +active +100 % +stable, latest +run-…/);
  });

  test('passes gates that ask for different suites, each with a run of its own', async () => {
    desk.write('evals/second.suite.json', SECOND);
    const second = { agentId: '*', to: 'staged', requiredEval: { suite: 'local.acme.evals.second' } };
    desk.configure({ gates: [second, PROVEN] });
    const typed = ['run', SUITE, '--agent', OLD, '--promote', '--channel', 'stable'];
    const first = await desk.run(...typed);
    expect([first.code, first.out]).toEqual([1, expect.stringContaining('of another suite than the')]);
    const hint = commandIn(first.out, 'run');
    expect(hint.join(' ')).toBe(`run local.acme.evals.second --agent ${OLD} --promote --to staged`);
    expect((await desk.run(...hint)).code).toBe(0);
    expect((await desk.run(...typed)).code).toBe(0);
    expect(await table()).toMatch(/1\.0\.0 +active +100 % +stable, latest/);
  });

  test('rests on the newest run of this very version when "last" is named', async () => {
    desk.configure({ gates: [PROVEN] });
    const proof = await desk.runSuite('1.0.0');
    await desk.runSuite('1.1.0');
    const { code, document } = await desk.json('promote', OLD, '--eval-run', 'last');
    expect(code).toBe(0);
    expect(document).toMatchObject({ evalRunId: proof, record: { state: 'active', evalRunId: proof } });
    const none = await openTwin().run('promote', OLD, '--eval-run', 'last');
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining('There is no completed run of a suite'),
    ]);
  });

  test('is refused on a run of another version, with the reason in the document', async () => {
    const other = await desk.runSuite('1.1.0');
    const { code, document } = await desk.json('promote', OLD, '--eval-run', other);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      exitCode: 1,
      steps: [
        { toState: 'test', outcome: 'moved' },
        { toState: 'staged', outcome: 'moved' },
        { toState: 'active', outcome: 'refused', runId: expect.stringMatching(/^run-/) },
      ],
      record: { state: 'staged' },
      error: { code: 'eval_gate_unmet', details: { reason: 'other_version' } },
    });
    expect(await desk.moves()).toHaveLength(2);
  });

  test('offers its evidence at the last step, and before only to a gate that asks for a run', async () => {
    const half = { suite: SUITE, requiredPassScore: 0.5 };
    desk.write('agent.mjs', "export default ({ say }) => (say === 'late' ? say : '');");
    desk.configure({ gates: [{ ...PROVEN, requiredEval: half }] });
    const proof = await desk.runSuite('1.0.0');
    expect((await desk.run('show', proof)).out).toContain('FAIL');
    const { code, document } = await desk.json('promote', OLD, '--eval-run', 'last');
    expect([code, document.record]).toEqual([0, expect.objectContaining({ evalRunId: proof })]);
    desk.configure({ gates: [{ agentId: '*', to: 'test', requiredEval: half }] });
    await desk.runSuite('1.1.0');
    const gated = await desk.json('promote', NEW, '--eval-run', 'last', '--to', 'staged');
    expect(gated.document.steps.map(({ toState, outcome }) => [toState, outcome])).toEqual([
      ['test', 'moved'],
      ['staged', 'refused'],
    ]);
  });

  test('of a version that is there already moves nothing, unless other bytes have its name by now', async () => {
    await desk.run('promote', OLD, '--channel', 'stable');
    const again = await desk.json('promote', OLD, '--channel', 'stable');
    expect([again.code, again.document.steps, again.document.unchanged]).toEqual([0, [], true]);
    desk.write('agent.mjs', "export default ({ say }) => say + '!';");
    const changed = await desk.run('promote', OLD, '--channel', 'stable');
    expect([changed.code, changed.err]).toEqual([2, expect.stringContaining('the agent has changed since')]);
  });
});

/** The same project with nothing kept yet. */
const openTwin = () => ({
  run: (...argv: string[]) => desk.run(...argv, '--data', 'elsewhere'),
});

describe('what serves', () => {
  test('is shared, adjusted, paused, brought back, rolled back and deprecated', async () => {
    await desk.run('promote', OLD, '--channel', 'stable');
    const canary = await desk.run('promote', NEW, '--channel', 'stable', '--canary', '10');
    expect(canary.out).toContain('is now active on stable, latest with 10 % of the traffic');
    expect((await desk.run('deployments', OLD)).out).toMatch(/1\.0\.0 +active +the rest/);
    expect(await table()).toMatch(
      /1\.0\.0 +active +the rest +stable [\s\S]*1\.1\.0 +active +10 % +stable, latest/,
    );
    expect((await desk.run('promote', NEW, '--share', '50 %')).out).toContain('with 50 % of the traffic');
    expect((await desk.run('promote', OLD, '--pause')).out).toContain(`${OLD} is now paused`);
    expect((await desk.run('promote', OLD)).out).toContain(`${OLD} is now active on stable`);
    const back = await desk.run('promote', NEW, '--rollback', '--reason', 'too many refunds');
    expect([back.code, back.out]).toEqual([0, expect.stringContaining('rolled-back; 1.0.0 takes over')]);
    expect((await desk.run('promote', OLD, '--deprecate')).code).toBe(0);
    expect(await table()).toMatchInlineSnapshot(`
      "  version  state        share  channels  evidence
        1.0.0    deprecated   –      –         –
        1.1.0    rolled-back  –      –         –
      "
    `);
  });

  test('is not made of what cannot be, and the words are those of the command', async () => {
    const early = await desk.run('promote', OLD, '--rollback');
    expect([early.code, early.err]).toEqual([
      2,
      expect.stringContaining('Only an active version can be rolled back, and 1.0.0 is draft.'),
    ]);
    await desk.run('promote', OLD);
    const twice = await desk.run('promote', OLD, '--canary', '20');
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('--share')]);
    expect(twice.err).not.toContain('adjust-canary');
  });

  test('is all of it for a version that is alone, whatever share it was given', async () => {
    const alone = await desk.run('promote', OLD, '--channel', 'stable', '--canary', '10');
    expect(alone.out).toContain('with all of the traffic, because nothing else serves there');
    expect(await table()).toMatch(/1\.0\.0 +active +100 % \(set to 10 %\) +stable, latest/);
    await desk.run('promote', NEW);
    expect(await table()).toMatch(/1\.1\.0 +active +– +latest/);
  });

  test('cannot be rolled back to nothing, and no option is blamed that nobody has typed', async () => {
    await desk.run('promote', OLD, '--channel', 'stable');
    const back = (...more: string[]) => desk.run('promote', OLD, '--rollback', ...more);
    expect(await back()).toMatchObject({ code: 2, err: expect.not.stringContaining('--channel') });
    expect((await back('--channel', 'canary')).err).toContain('--channel');
  });

  test.each([
    [60, ['version', 'state', 'share', 'channels']],
    [80, ['version', 'state', 'share', 'channels', 'evidence']],
    [160, ['version', 'state', 'share', 'channels', 'evidence', 'gate']],
  ])('is shown on %i columns without running over', async (columns, heads) => {
    desk.configure({ gates: [PROVEN] });
    await desk.run('run', SUITE, '--agent', OLD, '--promote', '--channel', 'stable');
    const screen = openTestCli({ cwd: desk.cwd, isTTY: true, columns, env: { NO_COLOR: '1' } });
    const lines = (await screen.run('deployments', AGENT)).out.trimEnd().split('\n');
    expect(lines[0]?.trim().split(/ +/)).toEqual(heads);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    if (columns < 120) expect((await screen.run('runs')).out).toMatch(/→ active +✓ moved/);
    for (const verb of [['runs'], ['audit', 'list']])
      for (const line of (await screen.run(...verb)).out.split('\n'))
        expect(line.length, line).toBeLessThanOrEqual(columns);
  });

  test('is looked at without leaving anything behind', async () => {
    const empty = openTestCli({ cwd: desk.cwd });
    expect((await empty.run('deployments', OLD, '--json')).out).toContain('"state": "draft"');
    expect((await empty.run('runs')).out).toContain('No runs.');
  });
});

test.each([
  [[], 'missing required argument'],
  [[AGENT], `Which version of ${AGENT}?`],
  [[`${AGENT}@stable`], `Which version of ${AGENT}?`],
  [['@@'], 'Expected an agent and its version'],
  [['local.acme.suport@1.0.0'], `Did you mean ${AGENT}?`],
  [[`${AGENT}@1.0.1`], 'There is no version 1.0.1'],
  [[OLD, '--pause', '--rollback'], '--pause and --rollback are two different things'],
  [[OLD, '--share', '5', '--to', 'test'], '--share and --to are two different things'],
  [[OLD, '--to', 'draft'], 'Allowed choices are test, staged, active'],
  [[OLD, '--channel', 'latest'], 'Allowed choices are stable, canary'],
  [[OLD, '--to', 'test', '--channel', 'stable'], '--channel is for a promotion to active, or a rollback'],
  [[OLD, '--to', 'staged', '--canary', '5'], '--canary is for a promotion to active'],
  [[OLD, '--pause', '--canary', '5'], 'there is --share'],
  [[OLD, '--rollback', '--eval-run', 'last'], '--eval-run is for a promotion'],
  [[OLD, '--canary', '101'], 'from 0 to 100'],
  [[OLD, '--share', '%'], 'from 0 to 100'],
  [[OLD, '--wait', '0'], 'a whole number of seconds'],
  [[OLD, '--reason', ' '], '--reason is empty'],
  [[OLD, '--eval-run', ''], '--eval-run is empty'],
  [[OLD, '--host', 'localhost:1'], '--host expects a URL'],
  [[OLD, '--key-env', 'MY_KEY'], '--key-env names the key for another host'],
])('promote %j is bad usage and moves nothing', async (argv, words) => {
  const { code, err, out } = await desk.run('promote', ...argv);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(words);
  expect((await desk.run('runs')).out).toContain('No runs.');
});

describe('run --promote', () => {
  const run = (...more: string[]) => desk.run('run', SUITE, '--agent', OLD, '--promote', ...more);

  test('promotes on the run that was just made', async () => {
    desk.configure({ gates: [PROVEN] });
    const { code, out } = await run('--channel', 'stable', '--canary', '25', '--json');
    const document = JSON.parse(out);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      exitCode: 0,
      summary: { passed: true },
      promotion: { record: { state: 'active', canaryPercent: 25, evalRunId: document.runId } },
    });
    expect(document.promotion.steps).toHaveLength(3);
  });

  test.each(['./other.mjs', 'http://127.0.0.1:9/agent'])(
    'runs nothing for %s, which only this command line names',
    async (agent) => {
      desk.write('other.mjs', 'export default ({ say }) => say;');
      const made = await desk.run('run', SUITE, '--agent', agent, '--promote', '--to', 'staged');
      expect([made.code, made.out]).toEqual([2, '']);
      expect(made.err).toContain(`--agent ${agent} is known to this command only`);
      expect(made.err).toContain('Put the agent into "agents" of the configuration');
      expect((await desk.run('runs')).out).toContain('No runs.');
    },
  );

  test('takes the file of a configured agent for that agent', async () => {
    desk.configure({ agents: [{ agentId: AGENT, version: '1.0.0', run: MODULE }] });
    const { code, out } = await desk.run('run', SUITE, '--agent', './agent.mjs', '--promote');
    expect([code, out]).toEqual([0, expect.stringContaining(`${OLD} is now active`)]);
  });

  test('tells beside a summary on stdout what was decided, and in the reports', async () => {
    desk.configure({ gates: [{ ...PROVEN, requiredEval: { suite: SUITE, requireConclusive: true } }] });
    const { code, out, err } = await run('--markdown', '-', '--junit', 'report.xml');
    expect(code).toBe(1);
    expect(err).toContain('✗ staged → active');
    expect(err).toContain(`${OLD} is now staged`);
    expect(out).toMatch(/^<!-- /);
    expect(out).toContain('**Promotion** ❌ denied, staged → active: No deployment without evidence');
    const report = readFileSync(join(desk.cwd, 'report.xml'), 'utf8');
    expect(report).toContain('tests="3" failures="1" errors="0"');
    expect(report).toMatch(/name="\(promotion\)">\s+<failure message="[^"]+" type="eval_gate_unmet"\/>/);
  });

  test('is reported as passed when it moved, and as neither when it waits', async () => {
    desk.configure({ gates: [AGREED] });
    const waits = await run('--markdown', '-', '--junit', 'report.xml');
    expect(waits.out).toMatch(/\*\*Promotion\*\* ⚠️ staged → active waits for approval, run run-/);
    const read = () => readFileSync(join(desk.cwd, 'report.xml'), 'utf8');
    expect(read()).toMatch(/failures="0" errors="0" skipped="1"[\s\S]+name="\(promotion\)">\s+<skipped/);
    desk.configure();
    const moved = await run('--markdown', '-', '--junit', 'report.xml');
    expect(moved.out).toContain(`**Promotion** ✅ ${OLD} is now active on latest`);
    expect(read()).toContain('name="(promotion)"/>');
  });

  test('promotes nothing when the run misses its bar', async () => {
    desk.write('agent.mjs', "export default () => 'wrong';");
    const { code, out, err } = await run('--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).not.toHaveProperty('promotion');
    expect(err).toContain(`${OLD} was not promoted`);
    expect(await desk.moves()).toEqual([]);
  });

  test('ends with the code of the promotion, and keeps the run, when the gate asks for more', async () => {
    desk.configure({ gates: [{ ...PROVEN, requiredEval: { suite: SUITE, requireConclusive: true } }] });
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain('PASS');
    expect(out).toContain('The result is too uncertain for the gate.');
    expect((await desk.run(...commandIn(out, 'show'))).out).toContain('PASS');
  });

  test('tells of a version that is beyond promotion after the run, as bad input', async () => {
    await desk.run('promote', OLD, '--to', 'active');
    await desk.run('promote', OLD, '--deprecate');
    const { code, out, err } = await run('--json');
    expect(code).toBe(2);
    expect(err).toContain('That is final');
    expect(JSON.parse(out)).toMatchObject({
      exitCode: 2,
      summary: { passed: true },
      promotion: { exitCode: 2, error: { code: 'validation_error' } },
    });
  });

  test.each([
    [['--only', 'late'], '--only cannot be combined with --promote'],
    [['--modes', 'golden'], '--modes cannot be combined with --promote'],
    [['--cache'], '--cache cannot be combined with --promote'],
    [['--allow-target-mismatch'], '--allow-target-mismatch cannot be combined with --promote'],
    [['--model', 'local/large'], '--model cannot be combined with --promote'],
    [['--watch'], '--watch cannot be combined with --promote'],
    [['--to', 'test', '--channel', 'stable'], '--channel is for a promotion to active'],
    [['--to', 'test', '--canary', '0'], '--canary is for a promotion to active'],
  ])('refuses %j before anything runs', async (more, words) => {
    const { code, err } = await run(...more);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect((await desk.run('runs')).out).toContain('No runs.');
  });

  test('refuses a folder of suites, and a place without a promotion', async () => {
    desk.write('evals/second.suite.json', SECOND);
    const several = await desk.run('run', 'evals', '--agent', OLD, '--promote');
    expect([several.code, several.err]).toEqual([
      2,
      expect.stringContaining('one run as evidence, and there are 2'),
    ]);
    const stray = await desk.run('run', SUITE, '--agent', OLD, '--channel', 'stable');
    expect([stray.code, stray.err]).toEqual([2, expect.stringContaining('Add --promote')]);
  });
});

const SECOND = JSON.stringify({
  suiteId: 'local.acme.evals.second',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    {
      taskId: 'a',
      input: { say: 'a' },
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'a' } },
    },
  ],
});

describe('runs of deployments among the others', () => {
  let moved: string;
  let evaluated: string;
  beforeEach(async () => {
    desk.configure({ gates: [AGREED] });
    evaluated = await desk.runSuite('1.0.0');
    const { document } = await desk.json('promote', OLD, '--to', 'test');
    moved = document.steps[0]?.runId ?? '';
  });

  test('are listed by what they did, and "last" is still the evaluation', async () => {
    expect(steady((await desk.run('runs')).out)).toMatchInlineSnapshot(`
      "  run                             when     suite            status    score
        run-…  <when>  promote to test  ✓ moved   –
        run-…  <when>  refunds@1.0.0    ✓ passed  1.00
      "
    `);
    expect(JSON.parse((await desk.run('show', 'last', '--json')).out).runId).toBe(evaluated);
    expect((await desk.run('show', 'last~1')).err).toContain('not enough runs');
    const [listed] = JSON.parse((await desk.run('runs', '--json')).out).items;
    expect(listed).toMatchObject({ runId: moved, deployment: { transition: 'promote', toState: 'test' } });
    expect(listed).toMatchObject({ workflow: 'touchstone.deployment' });
    expect(listed).not.toHaveProperty('suite');
    expect((await desk.run('run', '--resume')).err).toContain('There is no interrupted run here.');
  });

  test.each([
    ['compare', ['last', '<run>'], 'is about a deployment'],
    ['export', ['<run>'], 'is about a deployment'],
    ['rejudge', ['<run>'], 'is about a deployment'],
    ['baseline', ['bless', '<run>'], 'is about a deployment'],
    ['replay', ['<run>'], 'can be neither replayed nor branched'],
    ['show', ['<run>', '--task', 'late'], 'is about a deployment'],
    ['show', ['<run>', '--markdown', '-'], 'is about a deployment'],
    ['run', ['--resume', '<run>'], 'has already ended'],
  ])('%s %j says what they are', async (verb, argv, words) => {
    const { code, err } = await desk.run(verb, ...argv.map((word) => word.replace('<run>', moved)));
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  test('tell their story: who asked, what moved, why not', async () => {
    expect(steady((await desk.run('show', moved)).out)).toMatchInlineSnapshot(`
      "
        MOVED  promote local.acme.support@1.0.0 to test
        run run-…

        <time>  cli asked for it (deploy:promote).
        <time>  1.0.0 is now test.
      "
    `);
    const { document } = await desk.json('promote', OLD);
    const refused = document.steps[1]?.runId ?? '';
    expect(steady((await desk.run('show', refused)).out)).toMatchInlineSnapshot(`
      "
        REFUSED  promote local.acme.support@1.0.0 to active
        run run-…

        <time>  cli asked for it (deploy:promote).
        <time>  Refused (eval_gate_unmet): No deployment without
                             evidence: The gate asks for an eval run and none was
                             named. Run the suite, then give its run id.
      "
    `);
    expect((await desk.json('show', refused)).document).toMatchObject({
      outcome: 'refused',
      asked: { by: 'cli', allowed: true },
      moved: [],
      error: { code: 'eval_gate_unmet', details: { reason: 'no_eval_run' } },
    });
  });
});
