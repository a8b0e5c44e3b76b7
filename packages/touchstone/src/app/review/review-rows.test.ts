import { asId, type ReviewSource } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { isDone, type ReviewRow, rowsOf } from './review-rows.js';

type ReviewFact = ReviewRow['reviews'][number];
const row = (taskId: string, result: object = {}, kinds: readonly ReviewFact['kind'][] = [], run = 'run-1') =>
  ({
    run: { runId: asId(run), plan: { suite: { suiteId: 'local.a.evals.b' } } },
    task: { ordinal: 0, result: { taskId, score: 1, passed: true, ...result } },
    reviews: kinds.map((kind) => ({ by: asId('ann'), at: '2026-01-01T00:00:00Z', kind })),
  }) as unknown as ReviewRow;
const votes = (...shares: readonly number[]) => ({
  criteria: shares.map((agreement, at) => ({ id: `c-${at}`, weight: 1, met: 1, agreement })),
});

const ROWS = [
  row('passed'),
  row('failed', { score: 0, passed: false }),
  row('unscored', { score: 0, passed: false, unscored: 'judge_unreachable' }),
  row('split', votes(1, 0.6)),
  row('torn', votes(0.51)),
  row('sure', votes(1, 1)),
  row('flagged', {}, ['flag']),
];
const idsOf = (source: ReviewSource, rows = ROWS, sampling = { seed: 1, n: 3 }) =>
  rowsOf(rows, source, sampling).map(({ task }) => task.result.taskId);

describe('a source', () => {
  test.each<[ReviewSource, readonly string[]]>([
    ['failures', ['failed']],
    ['unscored', ['unscored']],
    ['flagged', ['flagged']],
    ['low-agreement', ['torn', 'split']],
  ])('%s has %j', (source, ids) => {
    expect(idsOf(source)).toEqual(ids);
  });

  test('that is a sample has as many as asked for, by seed, and the same tasks of a later run', () => {
    const later = ROWS.map(({ task, reviews, run }) => ({
      task,
      reviews,
      run: { ...run, runId: asId<typeof run.runId>('run-2') },
    }));
    expect(idsOf('sample')).toHaveLength(3);
    expect(idsOf('sample', later)).toEqual(idsOf('sample'));
    expect(idsOf('sample', ROWS.toReversed())).toEqual(idsOf('sample'));
    const seeds = [1, 2, 3, 4].map((seed) => idsOf('sample', ROWS, { seed, n: 3 }).join());
    expect(new Set(seeds).size).toBeGreaterThan(1);
  });
});

test('a task is done when the person, or anyone, has decided; a flag and a remark are no decision', () => {
  expect(isDone(row('a', {}, ['flag', 'remark']), undefined)).toBe(false);
  for (const kind of ['met', 'unmet', 'pass', 'fail', 'override'] as const) {
    expect(isDone(row('a', {}, [kind]), undefined)).toBe(true);
    expect([isDone(row('a', {}, [kind]), 'ann'), isDone(row('a', {}, [kind]), 'bob')]).toEqual([true, false]);
  }
});
