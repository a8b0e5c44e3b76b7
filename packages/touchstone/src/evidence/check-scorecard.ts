import {
  type EvalSummary,
  type Issue,
  pointerOf,
  type Scorecard,
  type TaskResult,
  validationError,
} from '@touchstone/protocol';
import { type Schema, schemaIssues, type Wire } from '@touchstone/protocol/schema';

/** A file that is wrong a hundred thousand times is not worth a hundred thousand sentences. */
const MOST_ISSUES = 20;

/**
 * Where a reader stands in a foreign document, and what it has found wrong so far. Pointers are made of indices and of
 * names that a scorecard knows: the names in the document are foreign text and are never repeated.
 */
export class Reading {
  readonly #path: (string | number)[] = [];
  readonly #issues: Issue[] = [];

  refuse(message: string): undefined {
    this.#issues.push({ pointer: pointerOf(this.#path), message });
    if (this.#issues.length === MOST_ISSUES) this.finish();
    return undefined;
  }

  /** The value as what the schema describes; throws with everything that is wrong so far when it is not. */
  parse<S extends Schema>(schema: S, value: unknown): Wire<S> {
    const here = pointerOf(this.#path);
    const issues = schemaIssues(schema, value, { hidesNames: true });
    for (const { pointer, message } of issues.slice(0, MOST_ISSUES - this.#issues.length))
      this.#issues.push({ pointer: `${here}${pointer}`, message });
    this.finish();
    return value as Wire<S>;
  }

  /** Reads what lies one step further in. */
  at<T>(step: string | number, read: () => T): T {
    this.#path.push(step);
    const found = read();
    this.#path.pop();
    return found;
  }

  finish(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues);
  }
}

/**
 * Checks a scorecard from outside whose shape is right. Its parts must agree: a comparison reads the results, a verdict
 * reads the summary, and a file must not show a different result to each.
 */
export function checkScorecard(card: Scorecard, reading: Reading): void {
  if (card.endedAt < card.startedAt)
    reading.at('endedAt', () => reading.refuse('Expected a time that is not before startedAt.'));
  checkResults(card, reading);
  reading.at('summary', () => checkSummary(card, reading));
  reading.finish();
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
