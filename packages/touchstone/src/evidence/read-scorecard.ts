import type { EvalSummary, Scorecard, TaskResult } from '@touchstone/protocol';
import type { Reading } from './reading.js';
import { scorecardShape } from './scorecard-shape.js';

/**
 * A scorecard from outside. Beyond its shape, its parts must agree: a comparison reads the
 * results, a verdict reads the summary, and a file must not show a different result to each.
 */
export function readScorecard(value: unknown, reading: Reading): Scorecard {
  const card = scorecardShape(value, reading);
  reading.finish();
  const sound = card as Scorecard;
  if (sound.endedAt < sound.startedAt)
    reading.at('endedAt', () => reading.refuse('Expected a time that is not before startedAt.'));
  checkResults(sound, reading);
  reading.at('summary', () => checkSummary(sound, reading));
  reading.finish();
  return sound;
}

function checkResults({ results, totalTasks, repeats, modes }: Scorecard, reading: Reading): void {
  if (new Set(modes).size < modes.length)
    reading.at('modes', () => reading.refuse('Expected each mode once.'));
  reading.at('results', () => {
    if (results.length > totalTasks)
      reading.refuse('Expected no more results than the suite has tasks (totalTasks).');
    const seen = new Set<string>();
    results.forEach((result, index) => {
      const at = (name: string, message: string) =>
        reading.at(index, () => reading.at(name, () => reading.refuse(message)));
      if (seen.has(result.taskId)) at('taskId', 'There is already a result of this task.');
      seen.add(result.taskId);
      if ((result.repeats?.length ?? 1) !== repeats)
        at('repeats', 'Expected the score of every repeat, and none when the run has only one.');
    });
  });
}

function checkSummary({ suite, results, summary }: Scorecard, reading: Reading): void {
  const passed = results.reduce((sum, result) => sum + (result.passed ? 1 : 0), 0);
  const expected: readonly [keyof EvalSummary, boolean, string][] = [
    ['suiteId', summary.suiteId === suite.suiteId, 'Expected the suite of the scorecard.'],
    ['suiteVersion', summary.suiteVersion === suite.version, 'Expected the suite version of the scorecard.'],
    ['taskCount', summary.taskCount === results.length, 'Expected the number of results.'],
    ['passedCount', summary.passedCount === passed, 'Expected the number of results that passed.'],
    ['tasks', summary.tasks.length === results.length, 'Expected one task for every result.'],
  ];
  for (const [name, holds, message] of expected) if (!holds) reading.at(name, () => reading.refuse(message));
  reading.at('tasks', () => checkTasks(summary, results, reading));
}

function checkTasks({ tasks }: EvalSummary, results: readonly TaskResult[], reading: Reading): void {
  tasks.forEach((task, index) => {
    const result = results[index];
    const agrees =
      task.taskId === result?.taskId && task.score === result.score && task.passed === result.passed;
    if (result && !agrees)
      reading.at(index, () =>
        reading.refuse('Expected task, score and verdict of the result in this place.'),
      );
  });
}
