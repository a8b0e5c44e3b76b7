import { asId, type RunId, type TaskId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Db } from '../db.js';
import { createResultsReader, inLogOrder } from './results-reader.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const RUN = asId<RunId>('run-1');

/** A run with so many results, and what was read of it. */
function createLog(count: number) {
  const pages: string[] = [];
  const all: Db['all'] = async (sql, params) => {
    if (!sql.includes('results')) return [{ run_no: 1 }];
    const [, , , after, limit, skip] = params.map(Number) as [number, number, number, number, number, number];
    const first = after + 1 + skip;
    const ordinals = Array.from({ length: Math.min(limit, count - first) }, (_, at) => first + at);
    pages.push(ordinals.join(' '));
    const results = ordinals.map((ordinal) => [
      ordinal,
      { taskId: `t${ordinal}`, score: 1, passed: true },
      ordinal,
      1,
    ]);
    return [{ last_seq: first + ordinals.length - 1, results: JSON.stringify(results) }];
  };
  return { pages, read: createResultsReader({ all } as Db) };
}

it('pages that follow one another go on where the last one ended, and any other is counted off', async () => {
  const { pages, read } = createLog(5);
  await read(OWNER, RUN, 0, 2);
  await read(OWNER, RUN, 2, 2);
  await read(OWNER, RUN, 4, 2);
  await read(OWNER, RUN, 1, 4);
  expect(pages).toEqual(['0 1', '2 3', '4', '1 2 3 4']);
});

it('steps stand in the order of the log, however an engine has joined them', () => {
  const step = (firstSequence: number) => ({
    ordinal: 9 - firstSequence,
    result: { taskId: asId<TaskId>(`t${firstSequence}`), score: 1, passed: true },
    firstSequence,
    lastSequence: firstSequence,
  });
  const sorted = [step(1), step(4), step(7)];
  expect(inLogOrder(sorted)).toBe(sorted);
  expect(inLogOrder([step(4), step(7), step(1)])).toEqual(sorted);
  expect(inLogOrder([])).toEqual([]);
});
