import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import agent from '../agent.mjs';
import { isRight } from '../workload.mjs';

/** The suite file that Touchstone gets, too; a floor that was handed its tasks would be no floor. */
export const readTasks = (file) =>
  JSON.parse(readFileSync(file, 'utf8')).tasks.map(({ taskId, input, expected }) => ({
    taskId,
    input,
    ...expected.match,
  }));

/** Asks and scores all tasks, so many at a time; hands each finished one to `keep`. Returns how many were right. */
export async function runPool(tasks, width, keep) {
  let next = 0;
  let passed = 0;
  const work = async () => {
    while (next < tasks.length) {
      const ordinal = next++;
      const task = tasks[ordinal];
      const output = await agent(task.input);
      const isPassed = isRight(task, output);
      passed += Number(isPassed);
      keep(ordinal, task, output, isPassed);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return passed;
}

/** Prints the count and how long the loop took, without the start of the process. */
export async function tell(run) {
  const startedAt = performance.now();
  const passed = await run();
  process.stdout.write(JSON.stringify({ passed, loopMs: performance.now() - startedAt }));
}
