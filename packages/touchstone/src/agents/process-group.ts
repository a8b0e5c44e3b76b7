import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Clock } from '../ports/index.js';

const GRACE_MS = 2_000;
/** The output of a process ends with it; what is still open after this time is held by a process that it left behind. */
const LINGER_MS = 250;
const isWindows = process.platform === 'win32';

/** What a program needs to start at all. The other variables of the host's environment may hold secrets. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'USERPROFILE', 'SYSTEMROOT', 'PATHEXT'];

type GroupCommand = {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  readonly stdio: SpawnOptions['stdio'];
};

/** Starts a command in a process group of its own, so that whatever it starts can be ended with it. No shell. */
export function spawnGroup({ command, args = [], cwd, env, stdio = 'pipe' }: GroupCommand): ChildProcess {
  const inherited = Object.fromEntries(
    INHERITED.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]),
  );
  const options = { cwd, env: { ...inherited, ...env }, stdio, windowsHide: true, detached: !isWindows };
  return spawn(command, args, options);
}

export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group has no process left.
  }
}

/** Asks the group to end, and kills it when it has not ended in time. */
export async function endGroup(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  signalGroup(child, 'SIGTERM');
  if (await outlasts(ended, GRACE_MS, clock)) signalGroup(child, 'SIGKILL');
}

/** Call it when the process has exited: a process that it left behind may hold its pipes open for long. */
export async function closePipes(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  if (!(await outlasts(ended, LINGER_MS, clock))) return;
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
}

async function outlasts(ended: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  ended.then(() => over.abort());
  return clock.sleep(ms, over.signal).then(
    () => true,
    () => false,
  );
}
