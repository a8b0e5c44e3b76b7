// A thread that checks content. One check at a time comes as `[name, input]`, and its answer goes back.
import { parentPort, workerData } from 'node:worker_threads';
import { foreignSchemas, SCHEMA_FIT, SCHEMA_ISSUES } from '../../agents/index.js';
import type { CheckWork } from '../../ports/index.js';
import { scoringWork } from '../../scoring/index.js';
import { SUITE_READING } from '../catalogue/read-suite.js';
import type { ReadyMessage, ThreadOptions } from './checker-thread.js';
import { lowerPriority } from './thread-priority.js';

const ALL = [SCHEMA_FIT, SCHEMA_ISSUES, SUITE_READING, ...scoringWork(foreignSchemas.fit)] as CheckWork<
  unknown,
  unknown
>[];
const WORK = new Map(ALL.map((work) => [work.name, work]));

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
const idleThread = await lowerPriority((workerData as ThreadOptions).whenIdle);
parentPort?.postMessage(['ready', idleThread] satisfies ReadyMessage);
