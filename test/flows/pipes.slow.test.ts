// Goal: a pipeline must not turn a failed evaluation into a success. Method: the program as it is installed, whose
// stdout, stderr or both are pipes that nobody reads any more when it begins to write.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CLI } from './processes.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-pipes-'));
  const match = { strategy: 'exact', value: 'yes' };
  const tasks = ['a', 'b'].map((taskId) => ({ taskId, input: {}, expected: { kind: 'golden', match } }));
  const suite = { suiteId: 'local.test.evals.missed', version: '1.0.0', modes: ['golden'], tasks };
  writeFileSync(join(folder, 'missed.suite.json'), JSON.stringify(suite));
  // What an agent says outside of its tasks goes to stderr.
  writeFileSync(join(folder, 'agent.mjs'), "console.log('hm'); export default () => 'no';");
});
afterEach(() => rmSync(folder, { recursive: true }));

type Closed = 'stdout' | 'stderr';
const MISSED = ['run', 'missed.suite.json', '--agent', 'agent.mjs'];

async function start(closed: readonly Closed[], ...argv: string[]) {
  const child = spawn(process.execPath, [CLI, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    timeout: 100_000,
    // Ended like this, it has no exit code of its own.
    killSignal: 'SIGKILL',
  });
  for (const name of closed) child[name].destroy();
  const read = (name: Closed, stream: Readable) => (closed.includes(name) ? '' : text(stream));
  const [[code], out, err] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    read('stdout', child.stdout),
    read('stderr', child.stderr),
  ]);
  return { code, out, err };
}

const runsHere = async (): Promise<unknown> => JSON.parse((await start([], 'runs', '--json')).out).items;

test.each<readonly Closed[][]>([[['stdout']], [['stderr']], [['stdout', 'stderr']]])(
  'where the readers of %j have gone, a run is carried out and says how it ended',
  async (closed) => {
    const told = await start([], ...MISSED);
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining('hm') });
    const untold = await start(closed, ...MISSED);
    expect([untold.code, untold.err]).toEqual([1, closed.includes('stderr') ? '' : told.err]);
    expect(untold.out).toContain(closed.includes('stdout') ? '' : '0 passed · 2 failed');
    expect(await runsHere()).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(await start(closed, 'run', 'nothing.suite.json')).toMatchObject({ code: 2 });
    expect(await start(closed, 'show', 'last', '--json')).toMatchObject({ code: 0 });
  },
);

test('what an agent prints is there to its last line', async () => {
  const lines = "Array.from({ length: 200 }, (_, n) => console.log('line ' + n))";
  writeFileSync(join(folder, 'agent.mjs'), `${lines}; export default () => { ${lines}; return 'no'; };`);
  const { err } = await start([], ...MISSED);
  expect(err.match(/^line 199$/gm)).toHaveLength(1);
  const shown = JSON.parse((await start([], 'show', 'last', '--task', 'b', '--json', '--bodies')).out);
  expect(JSON.stringify(shown)).toContain('line 198\\nline 199\\n"');
});

test('nobody waits for changes whose outcome nobody would read', async () => {
  expect(await start(['stdout'], ...MISSED, '--watch')).toMatchObject({ code: 1 });
  expect(await runsHere()).toHaveLength(1);
});

test('what an agent writes to the number of stdout, or its programs do, is no part of the JSON document', async () => {
  const agent = `
    import fs, { writeSync } from 'node:fs';
    import { execSync, fork, spawnSync } from 'node:child_process';
    import { once } from 'node:events';
    export default async () => {
      writeSync(1, 'by number\\n');
      fs.writeFileSync('/dev/stdout', 'by name\\n');
      execSync('echo by a shell', { stdio: 'inherit' });
      spawnSync('echo', ['by a program'], { stdio: [0, 1, 2] });
      await once(fork(new URL('./said.mjs', import.meta.url)), 'exit');
      return 'yes';
    };`;
  writeFileSync(join(folder, 'agent.mjs'), agent);
  writeFileSync(join(folder, 'said.mjs'), "console.log('by a process');");
  const { code, out, err } = await start([], ...MISSED, '--json');
  expect({ code, err }).toMatchObject({ code: 0, err: expect.any(String) });
  expect(JSON.parse(out)).toMatchObject({ exitCode: 0 });
  for (const by of ['number', 'name', 'a shell', 'a program', 'a process']) expect(err).toContain(`by ${by}`);
});
