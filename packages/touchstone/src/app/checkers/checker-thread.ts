import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred, processorMs } from '../../net/index.js';
import { CheckOverLimit } from '../../ports/index.js';

/** A thread that makes one check at a time. */
export type CheckerThread = {
  /** Resolves when it can be given work: what it takes to load is not the time of any check. */
  readonly ready: Promise<void>;
  /** What the work of this name answers. Rejects when the thread ends before, with the reason that `stop` was given. */
  run(name: string, input: unknown): Promise<unknown>;
  stop(reason: Error): void;
  /** False as soon as it is stopped or has ended. */
  isAlive(): boolean;
  /** The processor time that it has used, if it is executed only while nothing else wants a processor. */
  idleMs(): number | undefined;
  /** Settles when it has ended, in whichever way. */
  readonly ended: Promise<void>;
};

/** Several times what checking the largest answers takes. */
const MAX_HEAP_MB = 1_024;

/** The built file, also when this one is read from its source: Node starts a thread without any loader. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? import.meta.url.replace(/\/src\/(?!.*\/src\/).*/, '/dist/app/checkers/checker-worker.js')
    : new URL('./checker-worker.js', import.meta.url),
);

export type ThreadOptions = {
  /** Execute it only while nothing else wants a processor, where the system can do that. */
  readonly whenIdle: boolean;
};

/** `idleThread` is its number when it is executed only while nothing else wants a processor. */
export type ReadyMessage = readonly ['ready', idleThread: number | undefined];

/** Both ways values are copied, not written as JSON: a long text takes a thirtieth of the time, and objects as much. */
type Message = ReadyMessage | readonly ['done', result: unknown] | readonly ['failed', frames: string];

export function startCheckerThread(
  options: ThreadOptions = { whenIdle: false },
  file = WORKER,
  heapMb = MAX_HEAP_MB,
): CheckerThread {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb };
  const worker = new Worker(file, { workerData: options, resourceLimits });
  const ready = createDeferred<void>();
  const ended = createDeferred<void>();
  let current: Deferred<unknown> | undefined;
  let reason: Error | undefined;
  let idleThread: number | undefined;
  /** An idle thread does not keep the process alive. One that was told to end does: whoever closes the host waits until it has. */
  const rest = (): void => {
    if (reason === undefined) worker.unref();
  };
  // One that is loading is waited for as well, or why it ended.
  ready.promise.then(rest, () => undefined);

  worker.on('message', (message: Message) => {
    if (message[0] === 'ready') {
      idleThread = message[1];
      ready.resolve();
    } else if (message[0] === 'done') current?.resolve(message[1]);
    else current?.reject(failureOf(message[1]));
  });
  worker.on('error', (error) => {
    reason ??= isOutOfMemory(error) ? outOfMemory(heapMb) : error;
  });
  worker.on('exit', () => {
    reason ??= new Error('A thread that checks content has ended.');
    ready.reject(reason);
    current?.reject(reason);
    ended.resolve();
  });

  return {
    ready: ready.promise,
    async run(name, input) {
      const answer = createDeferred<unknown>();
      current = answer;
      worker.ref();
      worker.postMessage([name, input]);
      try {
        return await answer.promise;
      } finally {
        rest();
      }
    },
    stop(why) {
      reason ??= why;
      void worker.terminate();
    },
    isAlive: () => reason === undefined,
    idleMs: () => (idleThread === undefined ? undefined : processorMs(idleThread)),
    ended: ended.promise,
  };
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';

const outOfMemory = (heapMb: number): Error =>
  new CheckOverLimit(
    `Checking needed more than ${heapMb} MB of memory and was stopped. Let the agent answer with less, or simplify the patterns and schemas.`,
  );

/** An error of ours, told by where it happened in the thread. */
function failureOf(frames: string): Error {
  const error = new Error('A check has failed.');
  error.stack = frames;
  return error;
}
