import { execFile } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { processorMs } from '../../net/index.js';

/** Of this thread alone, where the system has priorities of threads. */
const LOWER_PRIORITY = 10;

/**
 * The thread that serves everybody goes first where there are fewer processors than threads. With `whenIdle` this thread is
 * executed only while nothing else wants its processor; its number is answered where the system can do that. Niceness alone
 * lets it keep a processor that the other thread could use: when that one wakes up it looks for an idle processor, and one
 * that executes a nice thread is none.
 */
export async function lowerPriority(whenIdle: boolean): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    setPriority(LOWER_PRIORITY);
    // The thread that serves everybody keeps one processor busy at most, so another one has to be there for this one.
    return whenIdle && availableParallelism() > 1 ? await runWhenIdle() : undefined;
  } catch {
    // A sandbox may forbid it, or has no `chrt`; then the thread has the priority that it has.
    return undefined;
  }
}

const CHRT_MS = 1_000;

async function runWhenIdle(): Promise<number | undefined> {
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  // Nobody could see whether it gets a processor.
  if (!processorMs(thread)) return undefined;
  await promisify(execFile)('chrt', ['-i', '-p', '0', String(thread)], { timeout: CHRT_MS });
  return thread;
}
