// Goal: a coding agent that starts `touchstone mcp` can rely on its stdout, its cancelling and its ending, whatever the agent
// under evaluation does. Method: the program as it is installed, over pipes; files of the agents tell when they are at work.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { connectMcp } from '../../packages/touchstone/src/cli/testing/mcp-connection.js';
import { CLI, runCli, temporaryFolder } from './processes.js';

const AGENTS = {
  // It prints by every way there is: of Node, of the system, and by a program that inherits its streams.
  loud: `import { writeSync } from 'node:fs';
import { execSync } from 'node:child_process';
console.log('{"jsonrpc":"2.0","id":1,"result":{}}');
export default (input) => {
  console.log('half a line'); process.stdout.write('more'); writeSync(1, 'straight\\n');
  execSync('echo program', { stdio: 'inherit' });
  return 'CANARY ' + input;
};`,
  // They answer once there is a file that says so.
  hanging: `import { existsSync, writeFileSync } from 'node:fs';
export default (input) => {
  if (existsSync('answer')) return 'CANARY ' + input;
  writeFileSync('at-work-' + input, '');
  return new Promise(() => setInterval(() => {}, 1000));
};`,
  spinning: `import { existsSync, writeFileSync } from 'node:fs';
export default (input) => {
  if (existsSync('answer')) return 'CANARY ' + input;
  writeFileSync('at-work-' + input, '');
  for (;;);
};`,
};
const CONFIG = {
  agents: [
    ...Object.keys(AGENTS).map((name) => ({
      ...{ agentId: `local.test.${name}`, version: '1.0.0', run: { kind: 'module', path: `./${name}.mjs` } },
    })),
    { agentId: 'local.test.gone', version: '1.0.0', run: { kind: 'http', url: 'http://127.0.0.1:9/' } },
  ],
  suites: ['./evals'],
};
const SUITE = {
  suiteId: 'local.test.evals.words',
  version: '1.0.0',
  tasks: ['one', 'two'].map((input) => ({ taskId: input, input, expect: [{ equals: 'CANARY one' }] })),
};
const RUN = { suite: SUITE.suiteId, agent: 'local.test.loud' };

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

function makeFolder(): string {
  const folder = temporaryFolder();
  opened.push(async () => folder.remove());
  const write = (name: string, content: object | string) =>
    writeFileSync(join(folder.path, name), typeof content === 'string' ? content : JSON.stringify(content));
  for (const [name, code] of Object.entries(AGENTS)) write(`${name}.mjs`, code);
  write('touchstone.config.json', CONFIG);
  write('words.suite.json', SUITE);
  return folder.path;
}

async function start(cwd: string, ...options: readonly string[]) {
  const child = spawn(process.execPath, [CLI, 'mcp', ...options], { cwd });
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  const told = text(child.stderr);
  // A server that ends while a message is on its way to it takes nothing more.
  child.stdin.on('error', () => undefined);
  opened.unshift(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const connection = connectMcp(child.stdin, child.stdout);
  const tools = await connection.open();
  return { ...connection, tools, child, ended, told };
}

/** Resolves when the file is there. */
const appears = (folder: string, name: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
    look();
  });

const runsOf = async (cwd: string): Promise<readonly { runId: string; status: string }[]> =>
  JSON.parse((await runCli(['runs', '--json'], cwd)).stdout).items;

it('tells over pipes what touchstone run --json tells, and an agent cannot print between', async () => {
  const cwd = makeFolder();
  const { call, close, ended, strayLines, told } = await start(cwd);
  const suite = 'words.suite.json';
  const { value } = await call('run_suite', { ...RUN, suite });
  const { stdout } = await runCli(['run', suite, '--agent', RUN.agent, '--json'], cwd);
  type Task = { taskId: string; score: number; passed: boolean };
  // In that process an agent that writes to the descriptor itself is not kept from it.
  const { summary, exitCode } = JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as {
    summary: { tasks: Task[] };
    exitCode: number;
  };
  const failed = summary.tasks
    .filter(({ passed }) => !passed)
    .map(({ taskId, score }) => ({ taskId, score }));
  expect(failed).toEqual([{ taskId: 'two', score: 0 }]);
  expect(value).toMatchObject({ exitCode, failures: failed });
  expect(strayLines).toEqual([]);
  close();
  expect(await ended).toEqual([0, null]);
  expect(await told).toContain('straight');
});

it('says of a task that could not be scored why, and blames nobody', async () => {
  const { call } = await start(makeFolder());
  const args = { suite: 'words.suite.json', agent: 'local.test.gone', only: ['one'] };
  const { value } = await call('run_suite', args);
  const unscored = [{ taskId: 'one', cause: 'agent_unreachable' }];
  expect(value).toMatchObject({ outcome: 'unjudged', exitCode: 3, failures: [], unscored });
  expect(value).not.toHaveProperty('passed');
  expect(value).not.toHaveProperty('score');
  expect((await call('show_failures', { run: 'last' })).value).toMatchObject({ failures: [], unscored });
});

it.each(['hanging', 'spinning'])(
  'ends the work of a cancelled call on a %s agent, which can be resumed',
  async (name) => {
    const cwd = makeFolder();
    const { call, notify, ask } = await start(cwd);
    const args = { suite: 'words.suite.json', agent: `local.test.${name}` };
    void ask('tools/call', { name: 'run_suite', arguments: args }, 'long');
    await appears(cwd, 'at-work-one');
    notify('notifications/cancelled', { requestId: 'long' });
    // The server answers others meanwhile, and its own list says when the run is at rest.
    for (;;) {
      const { runs } = (await call('list_runs')).value as { runs: readonly { interrupted?: true }[] };
      if (runs[0]?.interrupted) break;
    }
    writeFileSync(join(cwd, 'answer'), '');
    const [run] = await runsOf(cwd);
    const resumed = await runCli(['run', '--resume', run?.runId ?? '', '--json'], cwd);
    const tasks = [{ passed: true }, { passed: false }];
    expect(JSON.parse(resumed.stdout)).toMatchObject({ runId: run?.runId, exitCode: 1, summary: { tasks } });
  },
);

it('closing stdin ends the calls at work and the process, and the run is resumable', async () => {
  const cwd = makeFolder();
  const { ask, close, ended } = await start(cwd);
  void ask('tools/call', {
    name: 'run_suite',
    arguments: { suite: 'words.suite.json', agent: 'local.test.hanging' },
  });
  await appears(cwd, 'at-work-two');
  close();
  expect(await ended).toEqual([0, null]);
  const { stdout } = await runCli(['show', 'last', '--json'], cwd);
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 130 });
});

it('SIGTERM ends it as the end of stdin does', async () => {
  const { child, ended } = await start(makeFolder());
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a server that was killed leaves a store that the next one goes on with', async () => {
  const cwd = makeFolder();
  const first = await start(cwd);
  const args = { suite: 'words.suite.json', agent: 'local.test.hanging' };
  void first.ask('tools/call', { name: 'run_suite', arguments: args });
  await appears(cwd, 'at-work-two');
  first.child.kill('SIGKILL');
  await first.ended;
  const { call } = await start(cwd);
  const again = await call('run_suite', { ...RUN, suite: 'words.suite.json' });
  expect(again.value).toMatchObject({ outcome: 'failed', failures: [{ taskId: 'two' }] });
  expect((await call('list_runs')).value.runs).toHaveLength(2);
});

it('several calls at once are several runs, each with its own result', async () => {
  const { call, strayLines } = await start(makeFolder());
  const args = { ...RUN, suite: 'words.suite.json' };
  const results = await Promise.all(Array.from({ length: 4 }, () => call('run_suite', args)));
  expect(new Set(results.map(({ value }) => value.runId)).size).toBe(4);
  for (const { value } of results) expect(value).toMatchObject({ failures: [{ taskId: 'two' }] });
  expect(strayLines).toEqual([]);
});

it('a message beyond all measure ends the connection with a reason', async () => {
  const { send, ended, told } = await start(makeFolder());
  send(`{"jsonrpc":"2.0","id":7,"method":"${'x'.repeat(11_000_000)}"}\n`);
  expect(await ended).toEqual([0, null]);
  expect(await told).toMatch(/note: the connection: .*buffer/i);
});
