// The thread that writes a store file. What it is asked comes in lists of calls, and goes back in lists of answers.
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { openSqlite } from './open-sqlite.js';
import { createSqliteDb } from './sqlite-db.js';
import { type Answer, type Call, type Reply, toSent } from './writer-messages.js';

let answers: Answer[] = [];
let charges: Reply['charges'][number][] = [];

const opened = openSqlite((workerData as { readonly file: string }).file).then((sqlite) =>
  createSqliteDb(sqlite, {
    elapsed: () => performance.now(),
    charge: (tenant, ms) => charges.push([tenant, ms]),
  }),
);
// Each call gets the reason why the file could not be opened.
opened.catch(() => undefined);

/** The answers to one group are ready at the same time, and leave together. */
function send(): void {
  parentPort?.postMessage({ answers, charges } satisfies Reply);
  answers = [];
  charges = [];
}

async function answerTo({ id, method, argument }: Call): Promise<Answer> {
  try {
    const call = (await opened)[method] as (argument: unknown) => Promise<unknown>;
    return { id, result: await call(argument) };
  } catch (error) {
    return { id, error: toSent(error) };
  }
}

function keep(answer: Answer): void {
  if (answers.length === 0) process.nextTick(send);
  answers.push(answer);
}

parentPort?.on('message', (calls: readonly Call[]) => {
  for (const call of calls) void answerTo(call).then(keep);
});
