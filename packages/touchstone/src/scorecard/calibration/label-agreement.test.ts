import { asId } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { type JudgedLabel, measureLabels } from './label-agreement.js';

const label = (
  answer: string,
  by: string,
  person: boolean,
  judge: boolean,
  more: Partial<JudgedLabel> = {},
): JudgedLabel => ({
  runId: asId('run-1'),
  taskId: asId(answer),
  answer: asId(`run-1:${answer}`),
  criterion: asId('c-1'),
  by: asId(by),
  at: 1,
  person,
  judge,
  blind: true,
  ...more,
});

describe('labels of people', () => {
  test('make a table in which people come first, with agreement, its interval and kappa', () => {
    // The textbook case: 20 both yes, 5 and 10 one of them, 15 both no. Kappa is 0.4.
    const times = (count: number, person: boolean, judge: boolean) =>
      Array.from({ length: count }, (_, at) => label(`${person}${judge}${at}`, 'ann', person, judge));
    const { blind, all, reviewers } = measureLabels([
      ...times(20, true, true),
      ...times(5, true, false),
      ...times(10, false, true),
      ...times(15, false, false),
    ]);
    expect(blind).toMatchObject({ n: 50, confusion: { tp: 20, fn: 5, fp: 10, tn: 15 }, agreement: 0.7 });
    expect(blind.kappa).toBeCloseTo(0.4, 12);
    expect(blind.interval?.map((end) => end.toFixed(4))).toEqual(['0.5625', '0.8090']);
    expect([all, reviewers]).toEqual([blind, 1]);
  });

  test('given after the judge was seen count among all, and not among the blind ones', () => {
    const { blind, all } = measureLabels([
      label('a', 'ann', true, true),
      label('b', 'ann', false, true, { blind: false }),
    ]);
    expect([blind.n, all.n]).toEqual([1, 2]);
    expect(blind).not.toHaveProperty('kappa');
  });

  test('that there are none of show nothing', () => {
    expect(measureLabels([]).blind).toEqual({ n: 0, confusion: { tp: 0, fp: 0, fn: 0, tn: 0 } });
  });

  test('of two people about the same thing are held against each other, whoever was first', () => {
    const labels = [
      label('a', 'bob', true, true),
      label('a', 'ann', true, true),
      label('b', 'ann', false, true),
      label('b', 'bob', false, true),
      label('c', 'ann', true, true),
    ];
    expect(measureLabels(labels).people).toEqual({ n: 2, kappa: 1 });
    expect(measureLabels(labels.toReversed()).people).toEqual({ n: 2, kappa: 1 });
    expect(measureLabels([label('a', 'ann', true, true)])).not.toHaveProperty('people');
  });

  test('are told apart by criterion, the lowest agreement first, and name where the judge differs', () => {
    const other = { criterion: asId<JudgedLabel['criterion']>('c-2') };
    const { criteria, disagreements } = measureLabels([
      label('a', 'ann', true, true),
      label('a', 'ann', true, false, { ...other, at: 2 }),
    ]);
    expect(criteria.map(({ id, n, agreement }) => [id, n, agreement])).toEqual([
      ['c-2', 1, 0],
      ['c-1', 1, 1],
    ]);
    expect(disagreements).toEqual([
      { runId: 'run-1', taskId: 'a', criterion: 'c-2', by: 'ann', person: true, judge: false, blind: true },
    ]);
  });
});
