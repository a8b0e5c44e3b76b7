import { ChildProcess, spawn } from 'node:child_process';
import { onAbort } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';

type ChildRequest = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly input: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

export type ChildResult =
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: string | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'too-big' }
  | { readonly kind: 'not-started'; readonly code: string };

const STDERR_BYTES = 64 * 1024;
const GRACE_MS = 2_000;
/** What a command has written arrives within this time of its end; what comes later is from someone it left behind. */
const LINGER_MS = 250;
const isWindows = process.platform === 'win32';

/** Processes of one agent, so that closing it leaves none behind. */
export type Children = { run(request: ChildRequest): Promise<ChildResult>; close(): Promise<void> };

export function createChildren(clock: Clock): Children {
  const alive = new Map<ChildProcess, Promise<unknown>>();

  async function run(request: ChildRequest): Promise<ChildResult> {
    request.signal.throwIfAborted();
    const child = start(request);
    if (!(child instanceof ChildProcess)) return child;
    const ended = new Promise<void>((resolve) =>
      child.once('close', () => resolve()).once('error', () => resolve()),
    );
    // A child of the child may hold the pipes open long after; the answer is complete when the command itself has ended.
    child.once('exit', () => void letGo(child, ended, clock));
    alive.set(child, ended);
    const stopListening = onAbort(request.signal, () => endGroup(child, ended, clock));
    ended.then(() => {
      stopListening();
      alive.delete(child);
    });
    return converse(child, request);
  }

  async function close(): Promise<void> {
    for (const child of alive.keys()) signalGroup(child, 'SIGKILL');
    await Promise.all(alive.values());
  }

  return { run, close };
}

function start({ command, args, cwd, env }: ChildRequest): ChildProcess | ChildResult {
  try {
    // Its own process group, so that whatever it starts can be ended with it.
    return spawn(command, args, { cwd, env, stdio: 'pipe', windowsHide: true, detached: !isWindows });
  } catch (error) {
    // Most trouble is reported later, as an event; arguments that are too long are reported here.
    return { kind: 'not-started', code: codeOf(error) };
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

function converse(child: ChildProcess, { input, maxBytes, signal }: ChildRequest): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = Buffer.alloc(0);
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) stdout.push(chunk);
      else if (bytes - chunk.length <= maxBytes) {
        signalGroup(child, 'SIGKILL');
        resolve({ kind: 'too-big' });
      }
    });
    // The end of the complaint says more than its beginning.
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_BYTES);
    });
    child.once('error', (error) => resolve({ kind: 'not-started', code: codeOf(error) }));
    child.once('close', (code, endedBy) => {
      if (signal.aborted) reject(signal.reason);
      const said = { stdout: Buffer.concat(stdout).toString('utf8'), stderr: stderr.toString('utf8') };
      resolve({ kind: 'exited', code, signal: endedBy, ...said });
    });
    // A command that does not read its input closes the pipe; that is its right.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

async function letGo(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  const closed = new AbortController();
  ended.then(() => closed.abort());
  try {
    await clock.sleep(LINGER_MS, closed.signal);
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  } catch {
    // The pipes closed with the command, as they usually do.
  }
}

/** Asks first, then insists. */
async function endGroup(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const grace = new AbortController();
  ended.then(() => grace.abort());
  try {
    await clock.sleep(GRACE_MS, grace.signal);
    signalGroup(child, 'SIGKILL');
  } catch {
    // It ended in time.
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}
