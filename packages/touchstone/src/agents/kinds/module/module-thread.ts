import { resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { createDeferred } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { takeModuleThread } from '../../../threads/index.js';
import type { ModuleRun } from '../../spec/run-spec.js';
import { createModuleProcesses, type ModuleProcesses } from './module-processes.js';

export type ThreadOptions = {
  readonly path: string;
  /** The author's folder: places of errors are told relative to it. */
  readonly folder: string;
  readonly exportName: string | undefined;
  readonly maxOutputBytes: number;
  /** Without a limit it runs in a thread of this process. */
  readonly memoryMb?: number;
};

export const threadOptions = (
  { path, export: exportName, memoryMb: own }: ModuleRun,
  { baseDir, maxOutputBytes, memoryMb }: { baseDir: string; maxOutputBytes: number; memoryMb?: number },
): ThreadOptions => ({
  path: resolve(baseDir, path),
  folder: resolve(baseDir),
  exportName,
  maxOutputBytes,
  ...defined({ memoryMb: own ?? memoryMb }),
});

/** A message of the thread; the first element is its name. `module-worker.js` is the other side. */
export type ThreadMessage =
  | readonly ['ready']
  | readonly ['unloadable', reason: string]
  | readonly ['pong', ping: number]
  | JobMessage;
export type JobMessage =
  | readonly [
      name: 'answer',
      id: number,
      output: unknown,
      confidence: number | null,
      refused: boolean,
      tookMs: number | null,
    ]
  | readonly ['failed', id: number, reason: string, tookMs: number | null]
  | readonly ['withdrawn', id: number]
  | readonly ['tool', id: number, call: number, toolId: string, inputs: unknown]
  | readonly ['usage', id: number, usage: unknown]
  | readonly ['printed', id: number, text: string]
  | readonly ['reason', id: number, text: string];

export type ThreadListener = {
  message(message: ThreadMessage): void;
  /** The thread has ended without `end` being called. */
  gone(reason: string): void;
};

export type Thread = {
  post(message: readonly unknown[]): void;
  /** Id of the invocation whose synchronous part is running this moment, or 0. Readable even when the thread is stuck. */
  running(): number;
  end(): Promise<void>;
};

/**
 * So many messages are posted together: the thread then works on them while the rest of the turn is still being done.
 * Waking it costs as much as a quick task, so half of the usual turn is posted at once.
 */
const BATCH = 16;

/** So long a thread that is at rest may take to hand over what its agent has printed. */
const DRAIN_MS = 1_000;

/** With a limit on its memory the agent gets a process, whose main thread this is. */
export function startThread(
  options: ThreadOptions,
  listener: ThreadListener,
  clock: Clock,
  processes: Pick<ModuleProcesses, 'start'> = createModuleProcesses(clock),
): Thread {
  const { memoryMb } = options;
  const worker = memoryMb === undefined ? takeModuleThread() : processes.start(memoryMb);
  worker.post(JSON.stringify(options));
  // What the agent prints outside of a task. Our stdout carries results for machines to read, so it goes to stderr.
  worker.stdout.on('data', (chunk) => process.stderr.write(chunk));
  worker.stderr.on('data', (chunk) => process.stderr.write(chunk));

  let outbox: (readonly unknown[])[] = [];
  const flush = () => {
    if (outbox.length === 0) return;
    worker.post(JSON.stringify(outbox));
    outbox = [];
  };

  let ended = false;
  let loaded = false;
  const drained = createDeferred<void>();
  worker.listen({
    message(text) {
      // The agent's own code may post to its parent as well; such messages are ignored.
      if (typeof text !== 'string' || !text.startsWith('[[')) return;
      for (const message of JSON.parse(text) as (ThreadMessage | readonly ['drained'])[]) {
        if (message[0] === 'ready') loaded = true;
        if (message[0] === 'drained') drained.resolve();
        else if (!ended) listener.message(message);
      }
    },
    gone(reason) {
      drained.resolve();
      if (ended) return;
      ended = true;
      listener.gone(reason);
    },
  });

  return {
    post(message) {
      outbox.push(message);
      // A tick queued from a promise runs after all promises of this turn, so their messages travel in one text.
      if (outbox.length === 1) process.nextTick(flush);
      else if (outbox.length >= BATCH) flush();
    },
    running: worker.running,
    async end() {
      ended = true;
      // A thread hands its output over in pieces, each after the one before was taken: ending it at once loses the last.
      if (loaded && worker.running() === 0) {
        worker.post('[["drain"]]');
        const timer = setTimeout(drained.resolve, DRAIN_MS);
        await drained.promise;
        clearTimeout(timer);
      }
      const isOver = worker.terminate();
      // A thread takes 10 ms to end, in which nothing of the agent runs any more. The end of this process waits for it.
      if (memoryMb !== undefined) await isOver;
    },
  };
}
