import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AGENT, type DeployCli, openDeployCli, SUITE } from '../../testing/deployment-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

const OLD = `${AGENT}@1.0.0`;
const NEW = `${AGENT}@1.1.0`;

let desk: DeployCli;
beforeEach(() => {
  desk = openDeployCli();
  // The second task waits for a file that nobody writes until the run is resumed.
  const gate = JSON.stringify(join(desk.cwd, 'gate'));
  desk.write(
    'agent.mjs',
    `import { existsSync } from 'node:fs';
     export default async ({ say }) => {
       while (say === 'early' && !existsSync(${gate})) await new Promise((resolve) => setTimeout(resolve, 5));
       return say;
     };`,
  );
});
afterEach(() => desk.close());

/** Starts a run with the agent so named, and stops it after its first task. */
async function interrupted(agent: string): Promise<string> {
  const running = desk.run('run', SUITE, '--agent', agent, '--concurrency', '1');
  const reader = openTestCli({ cwd: desk.cwd });
  const isBegun = (): boolean => existsSync(join(desk.cwd, '.touchstone/touchstone.db'));
  for (let seen = ''; !seen.includes('eval.scored'); )
    seen = isBegun() ? (await reader.run('show', 'last', '--events')).out : '';
  desk.signal('SIGINT');
  expect((await running).code).toBe(130);
  return JSON.parse((await desk.run('runs', '--json', '--suite', SUITE)).out).items[0].runId;
}

test('a run that was started on a channel goes on with its own version, wherever the channel leads by now', async () => {
  await desk.run('promote', OLD, '--channel', 'canary');
  const runId = await interrupted(`${AGENT}@canary`);
  // Other bytes, so that the version which serves now is another agent.
  const changed = `${readFileSync(join(desk.cwd, 'agent.mjs'), 'utf8')}// newer`;
  desk.write('newer.mjs', changed);
  const agents = [
    { agentId: AGENT, version: '1.0.0', run: { kind: 'module', path: 'agent.mjs' } },
    { agentId: AGENT, version: '1.1.0', run: { kind: 'module', path: 'newer.mjs' } },
  ];
  desk.configure({ agents });
  expect((await desk.run('promote', NEW, '--channel', 'canary')).code).toBe(0);
  desk.write('gate', '');
  for (const other of [NEW, 'local.acme.other'])
    expect(await desk.run('run', '--resume', '--agent', other)).toMatchObject({
      code: 2,
      err: expect.stringContaining('planned with another --agent'),
    });
  const { code, out, err } = await desk.run('run', '--resume', runId, '--json');
  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ runId, agent: { agentId: AGENT, version: '1.0.0' } });
});

test('a run can be branched although nothing serves any longer on the channel that it was started on', async () => {
  desk.write('gate', '');
  await desk.run('promote', OLD, '--channel', 'canary');
  expect((await desk.run('run', SUITE, '--agent', `${AGENT}@canary`)).code).toBe(0);
  await desk.run('promote', OLD, '--pause');
  const { code, err } = await desk.run('replay', 'last', '--branch', '--from', '2');
  expect(code, err).toBe(0);
});
