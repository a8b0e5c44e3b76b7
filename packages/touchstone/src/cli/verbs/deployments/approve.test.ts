import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AGENT,
  AGREED,
  commandIn,
  type DeployCli,
  openDeployCli,
  SUITE,
  steady,
} from '../../testing/deployment-cli.js';

let desk: DeployCli;
beforeEach(() => {
  desk = openDeployCli();
  desk.configure({ gates: [AGREED] });
});
afterEach(() => desk.close());

const OLD = `${AGENT}@1.0.0`;
const gate = (approval: object) => desk.configure({ gates: [{ ...AGREED, approval }] });
const ask = async () => {
  const asked = await desk.run('run', SUITE, '--agent', OLD, '--promote', '--channel', 'stable');
  return { ...asked, runId: commandIn(asked.out, 'approve')[1] ?? '' };
};
const state = async () => JSON.parse((await desk.run('deployments', OLD, '--json')).out).items[0].state;

test('a program with files that are not followed is told of in the scorecard, at the promotion and to whoever approves', async () => {
  desk.write('bot.sh', `exec ${process.execPath} bot.cjs`);
  desk.write(
    'bot.cjs',
    "const { input } = JSON.parse(require('fs').readFileSync(0)); console.log(JSON.stringify({ output: input.say }))",
  );
  const agent = (more: object = {}) => ({
    agentId: AGENT,
    version: '1.0.0',
    run: { kind: 'command', command: '/bin/sh', args: ['bot.sh'] },
    ...more,
  });
  const warned = /may use files that its\s+digest\s+does\s+not\s+cover/;
  desk.configure({ gates: [AGREED], agents: [agent()] });
  const asked = await ask();
  const [scorecard, promotion] = asked.out.split('draft → test');
  expect(scorecard).toMatch(warned);
  expect(promotion).toMatch(warned);
  const approved = await desk.run('approve', asked.runId);
  expect(approved.out).toMatch(warned);
  expect(approved).toMatchObject({ code: 0, err: '' });
  expect((await desk.json('promote', OLD, '--to', 'active')).document).toMatchObject({
    filesNotFollowed: true,
  });
  expect((await desk.run('doctor')).out).toContain('what bot.sh uses is not followed');

  desk.configure({ agents: [agent({ files: ['bot.cjs'] })] });
  expect((await desk.run('run', SUITE, '--agent', OLD)).out).not.toMatch(warned);
  expect((await desk.run('doctor')).out).not.toContain('not followed');
});

describe('a gate that asks people', () => {
  test('holds a promotion up, which is neither a yes nor a no, until someone grants it', async () => {
    const asked = await ask();
    expect(asked.code).toBe(3);
    expect(asked.out).toContain(`waiting for approval: touchstone approve ${asked.runId}`);
    expect(await state()).toBe('staged');
    const granted = await desk.run('approve', asked.runId);
    expect(granted.code).toBe(0);
    expect(steady(granted.out)).toMatchInlineSnapshot(`
      "  promote local.acme.support@1.0.0 to active on stable
          asked by  cli
          gate      *:active: 1 grant by someone with the role approver
          so far    nobody
          evidence  run run-… of
                    local.acme.evals.refunds@1.0.0: 1.00 (95 %: 0.35–1.00), 2 of 2
                    tasks passed

        ✓ Granted. It has moved.
      "
    `);
    expect(await state()).toBe('active');
    expect(steady((await desk.run('show', asked.runId)).out)).toMatchInlineSnapshot(`
      "
        MOVED  promote local.acme.support@1.0.0 to active on stable
        run run-…

        <time>  cli asked for it (deploy:promote).
        <time>  Gate *:active asks for 1 grant by someone with the role
                             approver.
        <time>  cli granted it.
        <time>  1.0.0 is now active on stable.
        <time>  The evidence is run run-….
      "
    `);
  });

  test('asks anew after a no', async () => {
    const { runId } = await ask();
    const rejected = await desk.run('approve', runId, '--reject', '--reason', 'not before Monday');
    expect([rejected.code, rejected.out]).toEqual([0, expect.stringContaining('Rejected.')]);
    expect(await state()).toBe('staged');
    expect((await desk.run('show', runId)).out).toContain(
      'cli rejected it, so it is asked again: not before',
    );
    expect((await desk.run('approve', runId)).code).toBe(0);
    expect(await state()).toBe('active');
  });

  test('does not count the same person twice, and says where others can answer', async () => {
    gate({ requiredRole: 'approver', quorum: 2 });
    const { runId } = await ask();
    expect((await desk.run('approve', runId)).out).toContain('Granted. 1 more is needed.');
    const twice = await desk.run('approve', runId);
    expect([twice.code, twice.out]).toEqual([1, expect.stringContaining('so far    1: cli')]);
    expect(twice.out).toContain('You have granted this approval already.');
    expect(twice.out).toMatch(/a\s+key\s+of\s+their\s+own\s+\(--host <url>\)/);
    expect(await state()).toBe('staged');
  });

  test('does not take a grant of whoever asked, where it is told so', async () => {
    gate({ requiredRole: 'approver', excludeRequester: true });
    const { runId } = await ask();
    const told = await desk.run('approve', runId);
    expect(told.out.replaceAll(/\s+/g, ' ')).toContain('with the role approver, not by whoever asked');
    const { code, document } = await desk.json('approve', runId);
    expect([code, document.error]).toEqual([1, expect.objectContaining({ code: 'forbidden' })]);
    expect(await state()).toBe('staged');
  });

  test('is passed over only with a reason, which is kept', async () => {
    gate({
      requiredRole: 'approver',
      quorum: 3,
      override: { requiredRole: 'admin' },
      overrideBypassesQuorum: true,
    });
    const { runId } = await ask();
    const silent = await desk.run('approve', runId, '--override');
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining('--override needs --reason')]);
    const { code, document } = await desk.json('approve', runId, '--override', '--reason', 'the outage');
    expect([code, document.answer, document.outcome]).toEqual([0, 'overridden', 'moved']);
    expect((await desk.run('show', runId)).out).toContain('cli overrode the gate: the outage');
  });

  test('lets nothing through that has lost its evidence meanwhile', async () => {
    const { runId } = await ask();
    desk.write('agent.mjs', 'export default ({ say }) => String(say);');
    const { code, out } = await desk.run('approve', runId);
    expect([code, out]).toEqual([1, expect.stringContaining('the agent has changed')]);
    expect(await state()).toBe('draft');
  });
});

describe('a question', () => {
  const waiting = async () => JSON.parse((await desk.run('runs', '--json')).out).items[0];

  test('is given up by whoever asks no longer', async () => {
    const { runId } = await ask();
    const both = await desk.run('approve', runId, '--withdraw', '--reject');
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('--withdraw and --reject contradict')]);
    const { code, out } = await desk.run('approve', runId, '--withdraw', '--reason', 'the wrong version');
    expect([code, out]).toEqual([0, expect.stringContaining('✓ Withdrawn.')]);
    expect(await waiting()).toMatchObject({ runId, status: 'cancelled' });
    expect(await state()).toBe('staged');
    expect((await desk.run('approve', runId)).code).toBe(2);
  });

  test('is not asked twice', async () => {
    await desk.runSuite('1.0.0');
    const promote = () => desk.run('promote', OLD, '--eval-run', 'last');
    const first = await promote();
    expect(first.out).not.toContain('already asked for');
    expect(await waiting()).not.toHaveProperty('expired');
    const again = await promote();
    expect([again.code, again.out]).toEqual([3, expect.stringContaining('already asked for')]);
    expect(commandIn(again.out, 'approve')).toEqual(commandIn(first.out, 'approve'));
  });

  test('whose time is over is shown as expired, answered by nobody, and asked anew', async () => {
    gate({ requiredRole: 'approver', timeoutSec: 1 });
    await desk.runSuite('1.0.0');
    const first = await desk.json('promote', OLD, '--eval-run', 'last');
    const runId = first.document.steps.at(-1)?.runId ?? '';
    await vi.waitFor(async () => expect(await waiting()).toMatchObject({ runId, expired: true }), 60_000);
    expect((await desk.run('runs', '--status', 'waiting-approval')).out).toMatch(/to active +expired/);
    const shown = await desk.run('show', runId);
    expect(shown.out).toContain('EXPIRED');
    expect(shown.out).toContain('Nobody answered in time');
    expect(shown.out).not.toContain('touchstone approve');
    expect((await desk.json('show', runId)).document.outcome).toBe('expired');
    const again = await desk.json('promote', OLD, '--eval-run', 'last');
    expect(again.code).toBe(3);
    expect(again.document.steps.at(-1)).not.toMatchObject({ runId });
    expect((await desk.run('show', runId)).out).toContain('REFUSED');
  });
});

describe('--wait', () => {
  test('looks until it is granted, and then goes on', async () => {
    desk.configure({ gates: [{ ...AGREED, to: 'test' }] });
    await desk.runSuite('1.0.0');
    const waiting = desk.run('promote', OLD, '--eval-run', 'last', '--wait');
    await desk.seen('waiting for approval: touchstone approve');
    const runId = commandIn(desk.written.err, 'approve')[1] ?? '';
    expect((await desk.run('approve', runId)).code).toBe(0);
    const { code } = await waiting;
    expect(code).toBe(0);
    expect(await state()).toBe('active');
  });

  test('can be given up without giving the question up', async () => {
    await desk.runSuite('1.0.0');
    const waiting = desk.run('promote', OLD, '--eval-run', 'last', '--wait', '3600');
    await desk.seen('waiting for approval: touchstone approve');
    desk.signal('SIGINT');
    const { code, out } = await waiting;
    expect([code, out]).toEqual([130, expect.stringContaining('… staged → active')]);
    expect((await desk.run('approve', commandIn(out, 'approve')[1] ?? '')).code).toBe(0);
  });

  test('ends as refused when nobody answers in time', async () => {
    gate({ requiredRole: 'approver', timeoutSec: 1 });
    await desk.runSuite('1.0.0');
    const { code, document } = await desk.json('promote', OLD, '--eval-run', 'last', '--wait');
    expect([code, document.error]).toEqual([1, expect.objectContaining({ code: 'approval_timeout' })]);
    const runId = document.steps.at(-1)?.runId ?? '';
    expect((await desk.run('show', runId)).out).toContain('Nobody answered in time, which is a no.');
    const late = await desk.run('approve', runId);
    expect([late.code, late.err]).toEqual([2, expect.stringContaining('is failed and asks for nothing')]);
  });

  test('is over when its seconds are', async () => {
    await desk.runSuite('1.0.0');
    const { code, document } = await desk.json('promote', OLD, '--eval-run', 'last', '--wait', '1');
    expect(code).toBe(3);
    expect(document.waiting).toEqual({ runId: document.steps.at(-1)?.runId });
  });
});

test('approve knows only what waits', async () => {
  const evaluated = await desk.runSuite('1.0.0');
  const errors = async (...argv: string[]) => (await desk.run('approve', ...argv)).err;
  expect(await errors('run-nothing')).toContain('There is no run run-nothing here.');
  expect(await errors(evaluated)).toContain('is not about a deployment');
  const { document } = await desk.json('promote', OLD, '--to', 'test');
  expect(await errors(document.steps[0]?.runId ?? '')).toContain('is completed and asks for nothing');
  expect(await errors(evaluated, '--reject', '--override')).toContain('contradict each other');
});
