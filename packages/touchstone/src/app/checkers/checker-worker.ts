// A thread that checks content. One check at a time comes as `[name, input]`, and its answer goes back.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { foreignSchemas, SCHEMA_FIT, SCHEMA_ISSUES } from '../../agents/index.js';
import type { CheckWork } from '../../ports/index.js';
import { scoringWork } from '../../scoring/index.js';
import { SUITE_READING } from '../catalogue/read-suite.js';

const ALL = [SCHEMA_FIT, SCHEMA_ISSUES, SUITE_READING, ...scoringWork(foreignSchemas.fit)] as CheckWork<
  unknown,
  unknown
>[];
const WORK = new Map(ALL.map((work) => [work.name, work]));

/** Of this thread alone, where the system has priorities of threads. */
const LOWER_PRIORITY = 10;

// The thread that serves everybody goes first where there are fewer processors than threads.
try {
  if (process.platform === 'linux') setPriority(LOWER_PRIORITY);
} catch {
  // A sandbox may forbid it; then all threads have the same priority.
}

async function answer(name: string, input: unknown): Promise<unknown> {
  try {
    return ['done', await WORK.get(name)?.run(input)];
  } catch (error) {
    return ['failed', framesOf(error)];
  }
}

/** Where it happened. The message of an error could quote the content. */
function framesOf(error: unknown): string {
  const { name = 'Error', stack = '' } = error instanceof Error ? error : {};
  return [name, ...stack.split('\n').filter((line) => /^\s+at /.test(line))].join('\n');
}

parentPort?.on('message', ([name, input]: [string, unknown]) => {
  void answer(name, input).then((result) => parentPort?.postMessage(result));
});
parentPort?.postMessage(['ready']);
