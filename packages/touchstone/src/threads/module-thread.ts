import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';

/** Where the code of a `module` agent runs: a thread of this process, or a process. `MODULE_WORKER` is loaded there. */
export type ModuleWorker = {
  readonly stdout: Readable;
  readonly stderr: Readable;
  post(text: string): void;
  listen(listener: { message(text: unknown): void; gone(reason: string): void }): void;
  running(): number;
  terminate(): Promise<unknown>;
};

export const MODULE_WORKER = new URL('./module-worker.js', import.meta.url);

function launchThread(): ModuleWorker & Pick<Worker, 'ref' | 'unref'> {
  const running = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(MODULE_WORKER, {
    workerData: { running: running.buffer },
    stdout: true,
    stderr: true,
  });
  return {
    stdout: worker.stdout,
    stderr: worker.stderr,
    post: (text) => worker.postMessage(text),
    listen({ message, gone }) {
      let crash: string | undefined;
      worker.on('message', message);
      worker.on('error', (error) => {
        crash = `The agent's thread crashed: ${error.name}: ${error.message}`;
      });
      worker.on('exit', (code) => gone(crash ?? `The agent ended its thread (exit code ${code}).`));
    },
    running: () => Atomics.load(running, 0),
    terminate: () => worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

let spare: ReturnType<typeof launchThread> | undefined;

/**
 * Starts a thread ahead of need. That takes about as long as loading the code of a command, so both are done at the same time. A
 * spare thread that is not used does not keep the process alive.
 */
export function prepareModuleThread(): void {
  spare ??= launchThread();
  spare.unref();
}

export function takeModuleThread(): ModuleWorker {
  const thread = spare ?? launchThread();
  spare = undefined;
  thread.ref();
  return thread;
}
