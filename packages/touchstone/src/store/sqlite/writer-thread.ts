import { Worker } from 'node:worker_threads';
import { OutcomeUnknown } from '../db.js';
import type { Writing } from '../log/group-commit.js';
import { type Call, type CallResult, fromSent, type Reply, type WriterMethod } from './writer-messages.js';

export type WriterThread = {
  /** Calls take effect in their order. Rejects with OutcomeUnknown when the thread ends before it has answered. */
  call<M extends WriterMethod>(method: M, argument?: unknown): Promise<CallResult<M>>;
  /** Ends the thread. */
  stop(): Promise<unknown>;
};

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

/** The built file, also when this one is read from its source: Node starts a thread without any loader. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? import.meta.url.replace(/\/src\/(?!.*\/src\/).*/, '/dist/store/sqlite/writer-worker.js')
    : new URL('./writer-worker.js', import.meta.url),
);

export function startWriterThread(file: string, writing: Writing, onEnd: () => void): WriterThread {
  const worker = new Worker(WORKER, { workerData: { file } });
  const waiting = new Map<number, Waiting>();
  let calls: Call[] = [];
  let lastId = 0;
  let reason: unknown;
  // A thread at rest does not keep the process alive.
  worker.unref();

  const send = (): void => {
    worker.ref();
    worker.postMessage(calls);
    calls = [];
  };
  worker.on('message', ({ answers, charges }: Reply) => {
    for (const [tenant, ms] of charges) writing.charge(tenant, ms);
    for (const answer of answers) {
      const caller = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('error' in answer) caller?.reject(fromSent(answer.error));
      else caller?.resolve(answer.result);
    }
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', (error) => {
    reason = error;
  });
  worker.on('exit', () => {
    onEnd();
    for (const { reject } of waiting.values()) reject(new OutcomeUnknown(reason));
    waiting.clear();
  });

  return {
    call: (method, argument) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve: resolve as (result: unknown) => void, reject });
        calls.push({ id: lastId, method, argument });
        // What is asked in one turn leaves in one message.
        if (calls.length === 1) setImmediate(send);
      }),
    stop: () => worker.terminate(),
  };
}
