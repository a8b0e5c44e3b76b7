import { asId, type RunId, type TaskResult } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Client } from '../../client.js';
import { readFailed, resultsInOrder } from './read-results.js';

const RUN = asId<RunId>('run-1');
const resultOf = (ordinal: number): TaskResult => ({
  taskId: asId(`task-${ordinal}`),
  score: ordinal % 2,
  passed: ordinal % 2 === 1,
});

/** A client whose host has a run with its log in this order, some results a page. */
function clientOf(ordinals: readonly number[], pageSize: number): Client {
  const results: Client['runs']['results'] = async (_, { cursor = '0', outcome } = {}) => {
    const rows = ordinals
      .map((ordinal) => ({ ordinal, result: resultOf(ordinal) }))
      .filter(({ result }) => outcome === undefined || !result.passed);
    const end = Number(cursor) + pageSize;
    const items = rows.slice(Number(cursor), end);
    return { items, ...(end < rows.length && { nextCursor: String(end) }) };
  };
  return { runs: { results } } as unknown as Client;
}

async function inOrder(client: Client, isWhole: boolean): Promise<readonly TaskResult[]> {
  const all: TaskResult[] = [];
  for await (const piece of resultsInOrder(client, RUN, isWhole)) all.push(...piece);
  return all;
}

const shuffledRun = fc.integer({ min: 0, max: 40 }).chain((count) =>
  fc.shuffledSubarray(
    Array.from({ length: count }, (_, at) => at),
    { minLength: count },
  ),
);

it('results come in the order of the suite, whatever the order of the log and the size of its pages', () =>
  fc.assert(
    fc.asyncProperty(shuffledRun, fc.integer({ min: 1, max: 9 }), async (ordinals, pageSize) => {
      const client = clientOf(ordinals, pageSize);
      expect(await inOrder(client, true)).toEqual([...ordinals].sort((a, b) => a - b).map(resultOf));
    }),
    { seed: 20261119 },
  ));

it('so do those of a selection', async () => {
  expect(await inOrder(clientOf([7, 2, 5], 2), false)).toEqual([2, 5, 7].map(resultOf));
});

it('so does what is made of those that did not pass', async () => {
  const failed = (ordinals: readonly number[]) =>
    readFailed(clientOf(ordinals, 2), RUN, ({ taskId }) => taskId);
  expect(await failed([0, 1, 2, 4])).toEqual(['task-0', 'task-2', 'task-4']);
  expect(await failed([4, 0, 1, 2])).toEqual(['task-0', 'task-2', 'task-4']);
});
