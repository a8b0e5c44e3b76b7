import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  AGENT,
  AGREED,
  commandIn,
  type DeployCli,
  openDeployCli,
  SUITE,
  steady,
} from '../../testing/deployment-cli.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const KEYS = [
  { key: 'root-key', tenant: 'acme', principal: 'root', roles: ['admin'] },
  { key: 'runner-key', tenant: 'acme', principal: 'runner', roles: ['runner'] },
  { key: 'ann-key', tenant: 'acme', principal: 'ann', roles: ['approver'] },
  { key: 'bob-key', tenant: 'acme', principal: 'bob', roles: ['approver'] },
];
const OLD = `${AGENT}@1.0.0`;

let desk: DeployCli;
let person: TestCli;
let url: string;
let serving: Promise<{ readonly code: number }>;
beforeEach(async () => {
  desk = openDeployCli();
  const gate = { ...AGREED, approval: { requiredRole: 'approver', quorum: 2 } };
  desk.configure({ keys: KEYS, gates: [gate] });
  serving = desk.run('serve', '--port', '0', '--data', 'served');
  await desk.seen('listening');
  url = /listening (\S+)/.exec(desk.written.out)?.[1] ?? '';
  const env = Object.fromEntries(KEYS.map(({ key, principal }) => [principal.toUpperCase(), key]));
  person = openTestCli({ env });
});
afterEach(async () => {
  desk.signal('SIGTERM');
  await serving;
  person.close();
  desk.close();
});

const as = (who: string, ...argv: string[]) => person.run(...argv, '--host', url, '--key-env', who);

test('a promotion on another host is proven, agreed to by two people, and seen', async () => {
  const asked = await as('ROOT', 'run', SUITE, '--agent', OLD, '--promote', '--channel', 'stable');
  expect([asked.code, asked.err]).toEqual([3, '']);
  expect(asked.out).toContain('PASS');
  const approve = commandIn(asked.out, 'approve').slice(0, 2);
  const self = await as('ROOT', ...approve);
  expect([self.code, self.out]).toEqual([1, expect.stringContaining('it needs the role approver')]);
  expect((await as('ANN', ...approve)).out).toContain('Granted. 1 more is needed.');
  const last = await as('BOB', ...approve);
  expect([last.code, last.out]).toEqual([0, expect.stringContaining('so far    1: ann')]);
  expect(last.out).toContain('It has moved.');
  const seen = await as('ROOT', 'deployments', AGENT);
  expect(steady(seen.out)).toMatch(/1\.0\.0 +active +100 % +stable, latest +run-…/);
  const late = await as('ANN', ...approve);
  expect([late.code, late.err]).toEqual([2, expect.stringContaining('is completed and asks for nothing')]);
});

test('the newest run there is evidence, and whoever waits hears of the last grant', async () => {
  await as('ROOT', 'run', SUITE, '--agent', OLD);
  const waiting = as('ROOT', 'promote', OLD, '--eval-run', 'last', '--wait');
  await person.seen('waiting for approval: touchstone approve');
  const [verb = '', runId = '', ...where] = commandIn(person.written.err, 'approve');
  expect(where.join(' ')).toBe(`--host ${url} --key-env <approver's key>`);
  for (const who of ['ANN', 'BOB']) expect((await as(who, verb, runId)).code).toBe(0);
  expect((await waiting).code).toBe(0);
});

test('a question there is asked once, and given up there', async () => {
  await as('ROOT', 'run', SUITE, '--agent', OLD);
  const ask = () => as('ROOT', 'promote', OLD, '--eval-run', 'last');
  const first = await ask();
  expect(first.out).not.toContain('already asked for');
  const again = await ask();
  expect(again.out).toContain('already asked for');
  const approve = commandIn(again.out, 'approve').slice(0, 2);
  expect(approve).toEqual(commandIn(first.out, 'approve').slice(0, 2));
  const denied = await as('ANN', ...approve, '--withdraw');
  expect([denied.code, denied.out]).toEqual([1, expect.stringContaining('runs:cancel')]);
  const withdrawn = await as('ROOT', ...approve, '--withdraw');
  expect([withdrawn.code, withdrawn.out]).toEqual([0, expect.stringContaining('Withdrawn.')]);
  expect((await as('ANN', ...approve)).err).toContain('asks for nothing');
});

test('whoever may not is told so, and what to type is for the same host', async () => {
  const { code, out } = await as('RUNNER', 'promote', OLD);
  expect([code, out]).toEqual([1, expect.stringContaining('it needs the scope deploy:promote')]);
  const unproven = await as('ROOT', 'promote', OLD);
  expect(unproven.code).toBe(1);
  expect(commandIn(unproven.out, 'run').join(' ')).toBe(
    `run ${SUITE} --agent ${OLD} --promote --host ${url} --key-env ROOT`,
  );
  expect((await as('ROOT', 'promote', `${AGENT}@1.1.0`, '--pause')).err).toContain('1.1.0 is draft');
  expect((await as('ROOT', 'deployments', 'local.acme.nobody')).err).toContain('There is no agent');
  expect((await as('ROOT', 'approve', 'run-x')).err).toContain('There is no run run-x on 127.0.0.1');
});

test('a run that waits for people is not what --resume means', async () => {
  await as('ROOT', 'run', SUITE, '--agent', OLD, '--promote');
  const { code, err } = await as('ROOT', 'run', '--resume');
  expect([code, err]).toEqual([2, expect.stringContaining('no unfinished run of yours')]);
});

test('the audit log of the key’s owner is checked and listed', async () => {
  await as('RUNNER', 'promote', OLD);
  await as('ROOT', 'promote', OLD, '--to', 'test');
  const { code, out } = await as('ROOT', 'audit', 'verify');
  expect([code, out]).toEqual([0, expect.stringMatching(/✓ \d+ records, unbroken/)]);
  const again = await person.run(...commandIn(out, 'audit'));
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('is in it')]);
  expect((await as('ROOT', 'audit', 'verify', '--expect', `1:${'a'.repeat(64)}`)).code).toBe(1);
  const listed = JSON.parse((await as('ROOT', 'audit', 'list', '--limit', '3', '--json')).out).items;
  expect(
    listed.map(({ principal, allowed }: { principal: string; allowed: boolean }) => [principal, allowed]),
  ).toEqual([
    ['root', true],
    ['root', true],
    ['runner', false],
  ]);
  expect((await as('RUNNER', 'audit', 'list')).err).toContain('it needs the scope audit:read');
});
