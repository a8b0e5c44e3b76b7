import { asId } from '@touchstone/protocol';
import { type Task, toBody } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import { chunksOf } from './suite-statements.js';

const tasksOf = (sizes: readonly number[]): readonly Task[] =>
  sizes.map((size, i) => ({
    taskId: asId(`t${i}`),
    input: toBody('x'.repeat(size)),
    expected: { kind: 'rubric', rubric: [] },
  }));
const firstsOf = (sizes: readonly number[]) => chunksOf(tasksOf(sizes)).map((chunk) => chunk.firstOrdinal);

it('a chunk ends at 256 tasks or a megabyte, whichever comes first, and a huge task stands alone', () => {
  expect(firstsOf([])).toEqual([]);
  expect(firstsOf(Array.from({ length: 513 }, () => 1))).toEqual([0, 256, 512]);
  expect(firstsOf([400_000, 400_000, 400_000, 1])).toEqual([0, 2]);
  expect(firstsOf([1, 3_000_000, 1])).toEqual([0, 1, 2]);
});

it('chunks together hold every task in order', () => {
  const tasks = tasksOf([1, 700_000, 700_000, 2, 3]);
  const chunks = chunksOf(tasks);
  expect(chunks.flatMap((chunk) => JSON.parse(chunk.tasks))).toEqual(tasks);
  expect(chunks.flatMap((chunk) => JSON.parse(chunk.taskIds))).toEqual(tasks.map((task) => task.taskId));
});
