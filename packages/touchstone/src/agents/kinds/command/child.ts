import { ChildProcess } from 'node:child_process';
import { onAbort } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { closePipes, endGroup, signalGroup, spawnGroup } from '../../process-group.js';

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
    // The answer is complete when the command itself has ended, whatever it has left behind.
    child.once('exit', () => void closePipes(child, ended, clock));
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
    return spawnGroup({ command, args, cwd, env, stdio: 'pipe' });
  } catch (error) {
    // Most failures are reported later, as an event; arguments that are too long are reported here.
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
