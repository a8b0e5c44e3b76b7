import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useStoreOfTests } from '../setup/flow-store.js';

/** The CLI as it is built; `npm test` builds first. */
export const CLI = fileURLToPath(new URL('../../packages/touchstone/bin/touchstone.js', import.meta.url));

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'touchstone-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type Running = { readonly child: ChildProcess; readonly finished: Promise<Finished> };

export function startCli(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  program = CLI,
  openFiles?: number,
): Running {
  useStoreOfTests(cwd);
  const limited = ['-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, process.execPath];
  const [file, before] = openFiles === undefined ? [process.execPath, []] : ['sh', limited];
  const child = spawn(file, [...before, program, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
  });
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, ...out }));
  return { child, finished };
}

export const runCli = (args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): Promise<Finished> =>
  startCli(args, cwd, env).finished;

export type Serving = Running & {
  readonly url: string;
  /** What stands behind a word at the beginning of a line of stdout, as soon as the line is there. */
  told(word: string): Promise<string>;
};

/** Starts `serve` and waits for the line that says where it listens. */
export async function serve(
  args: readonly string[],
  cwd: string,
  env?: NodeJS.ProcessEnv,
  program?: string,
  /** `ulimit -n` of the process. */
  openFiles?: number,
): Promise<Serving> {
  const running = startCli(['serve', '--port', '0', ...args], cwd, env, program, openFiles);
  let seen = '';
  running.child.stdout?.on('data', (text: string) => {
    seen += text;
  });
  const told = (word: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = new RegExp(`^${word} (\\S+)\\n`, 'm').exec(seen);
        if (line) resolve(line[1] as string);
      };
      running.child.stdout?.on('data', look);
      running.finished.then(({ code, stderr }) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
      look();
    });
  return { ...running, url: await told('listening'), told };
}

export async function kill(running: Running, signal: NodeJS.Signals = 'SIGKILL'): Promise<Finished> {
  running.child.kill(signal);
  return running.finished;
}

export const KEY = 'test-key-of-acme-0123456789';
export const OTHER_KEY = 'test-key-of-globex-0123456789';

type ProjectOptions = {
  readonly delayMs?: number;
  readonly passScore?: number;
  /** The agent keeps tasks from this one on until `letGo`: what has to happen before them has the time it takes. */
  readonly holdFrom?: number;
};
export const letGo = (folder: string): void => writeFileSync(join(folder, 'go'), '');

/** A project folder: a module agent that answers by number and notes each call, and a suite that asks for numbers. */
export function writeProject(folder: string, tasks: number, options: ProjectOptions = {}): void {
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value, null, 1));
  write('agent.mjs', agentSource(options));
  write('numbers.suite.json', {
    suiteId: 'local.test.evals.numbers',
    version: '1.0.0',
    modes: ['golden'],
    thresholds: { passScore: options.passScore ?? 0.8 },
    tasks: Array.from({ length: tasks }, (_, i) => ({
      taskId: `n-${i}`,
      input: i,
      expected: { kind: 'golden', match: { strategy: 'exact', value: `answer ${i}` } },
    })),
  });
  write('touchstone.config.json', {
    keys: [
      { key: KEY, tenant: 'acme', roles: ['admin'] },
      { key: OTHER_KEY, tenant: 'globex', roles: ['admin'] },
    ],
    agents: [
      { agentId: 'local.test.numbers', version: '1.0.0', run: { kind: 'module', path: './agent.mjs' } },
    ],
    suites: ['.'],
  });
}

/** One answer in ten is wrong, so that failures are part of every comparison. */
const agentSource = ({ delayMs = 0, holdFrom = Number.POSITIVE_INFINITY }: ProjectOptions): string => `
import { appendFileSync, existsSync } from 'node:fs';
const delayMs = Number(process.env.DELAY_MS ?? ${delayMs});
const isHeld = (input) => input >= ${holdFrom} && !existsSync(new URL('./go', import.meta.url));
export default async (input, ctx) => {
  if (process.env.CALLS) appendFileSync(process.env.CALLS, [ctx.runId, input, process.env.CALLER ?? '', Date.now()].join(' ') + '\\n');
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random())));
  while (isHeld(input)) await new Promise((resolve) => setTimeout(resolve, 20));
  return input % 10 === 7 ? 'no idea' : 'answer ' + input;
};
`;

/** The calls an agent has noted, in order. */
export const callsIn = (file: string): { readonly runId: string; readonly ordinal: number }[] => {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => ({ runId: line.split(' ')[0] as string, ordinal: Number(line.split(' ')[1]) }));
};
