import { asId, type TaskId, type TaskResult } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFindResult } from './find-result.js';

const resultOf = (id: number): TaskResult => ({ taskId: asId<TaskId>(`t-${id}`), score: 1, passed: true });

const ids = fc.uniqueArray(fc.nat(12));

describe('a result of another run', () => {
  test('is the one of the task, wherever it stands', () => {
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const results = before.map(resultOf);
        const byId = new Map(results.map((result) => [result.taskId, result]));
        const find = createFindResult(results);
        for (const [at, { taskId }] of after.map(resultOf).entries())
          expect(find(taskId, at)).toBe(byId.get(taskId));
      }),
    );
  });
});
