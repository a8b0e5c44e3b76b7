import { asId, type RunTotals, type TaskResult } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Run, StepResult } from '../../ports/index.js';
import { createResults } from './results.js';

const ROWS = ['a', 'b', 'c'].map((taskId, ordinal): StepResult => {
  const passed = taskId !== 'c';
  return {
    ordinal,
    result: { taskId: asId(taskId), score: Number(passed), passed } as TaskResult,
  } as StepResult;
});
const TOTALS: RunTotals = { aggregateScore: 2 / 3, passed: false, taskCount: 3, passedCount: 2, unscored: 0 };

const runWith = (headline: Partial<RunTotals>): Run =>
  ({
    runId: 'run-1',
    owner: {},
    status: 'completed',
    headline: { ...TOTALS, ...headline },
  }) as unknown as Run;
const logOf = (rows: readonly StepResult[]): Parameters<typeof createResults>[0] => ({
  results: async (_owner, _runId, from, limit) => rows.slice(from, from + limit),
  failures: async (_owner, _runId, from, limit) =>
    rows.filter(({ result }) => !result.passed).slice(from, from + limit),
});
const results = () => createResults(logOf(ROWS));

it('results that come to the totals of their run are read', async () => {
  expect(await results().page(runWith({}), 1, 1)).toEqual([ROWS[1]]);
  expect(await results().all(runWith({}))).toHaveLength(3);
});

it.each<Partial<RunTotals>>([{ aggregateScore: 0.9 }, { taskCount: 4 }, { passedCount: 3 }])(
  'results that do not come to them are refused as damaged: %j',
  async (headline) => {
    const refusal = { code: 'unavailable', details: { reason: 'damaged' } };
    await expect(results().all(runWith(headline))).rejects.toMatchObject(refusal);
    await expect(results().page(runWith(headline), 0, 1)).rejects.toMatchObject(refusal);
  },
);

it('results that a pause has left out of order are listed as in the log, and folded as in the suite', async () => {
  const rows = [ROWS[1], ROWS[2], ROWS[0]] as readonly StepResult[];
  const reader = createResults(logOf(rows));
  expect((await reader.all(runWith({}))).map(({ taskId }) => taskId)).toEqual(['a', 'b', 'c']);
  expect(await reader.page(runWith({}), 0, 3)).toEqual(rows);
});

it('results of tasks that did not pass are read alone, and not again when all of the run are at hand', async () => {
  const reader = results();
  expect(await reader.failures(runWith({}), 0, 9)).toEqual([ROWS[2]]);
  await reader.all(runWith({}));
  expect(await reader.failures(runWith({}), 0, 9)).toEqual([ROWS[2]]);
  expect(await reader.failures(runWith({}), 1, 9)).toEqual([]);
});
