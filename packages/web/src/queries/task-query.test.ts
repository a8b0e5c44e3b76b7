import { expect, test } from 'vitest';
import { readTaskQuery } from './task-query.js';

const read = (query: string, isCompared?: boolean) => readTaskQuery(new URLSearchParams(query), isCompared);

test('an address with nothing in it asks for all tasks', () => {
  expect(read('task=a-1&unknown=1')).toEqual({ filter: {}, view: 'facts', ignored: [] });
});

test('what the host would refuse is left out and named', () => {
  const { filter, ignored } = read(
    'outcome=good&minScore=7&minMs=1.5&maxMs=-1&change=toFail,worse&order=name&slice=',
  );
  expect(filter).toEqual({});
  expect(ignored).toEqual(['outcome', 'change', 'minScore', 'minMs', 'maxMs', 'order']);
});

test('what it would answer is asked for', () => {
  const { filter, view, ignored } = read(
    'outcome=failed&minScore=0.5&maxMs=20&change=toFail,lower&order=-time&view=reading',
  );
  expect(filter).toEqual({
    outcome: 'failed',
    minScore: 0.5,
    maxMs: 20,
    change: 'toFail,lower',
    order: '-time',
  });
  expect([view, ignored]).toEqual(['reading', []]);
});

test('a change is of no use where there is no run to compare with', () => {
  expect(read('change=toFail', false)).toEqual({ filter: {}, view: 'facts', ignored: ['change'] });
  expect(read('outcome=failed', false).ignored).toEqual([]);
});
