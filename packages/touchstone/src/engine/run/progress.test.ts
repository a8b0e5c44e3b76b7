import { asId, type TaskId, type TaskResult } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { FinishedTask, Progress } from '../../ports/index.js';
import { createManualClock } from '../testing/manual-clock.js';
import { createProgress } from './progress.js';

const result = (id: string, more: Partial<TaskResult>): TaskResult => ({
  taskId: asId<TaskId>(id),
  score: 0,
  passed: false,
  ...more,
});
const passing = { score: 1, passed: true };

it('a task without a score is neither passed nor failed', () => {
  const published: [Progress, readonly FinishedTask[]][] = [];
  const progress = createProgress(5, createManualClock(), (...news) => published.push(news));
  progress.restore([result('a', passing), result('b', { unscored: 'judge_unreachable' })]);
  progress.committed([result('c', {})], 1, 0);
  progress.committed([result('d', { unscored: 'agent_unreachable' })], 0, 0.5);
  expect(published.map(([{ etaMs: _, ...totals }]) => totals)).toEqual([
    { total: 5, done: 3, running: 1, passed: 1, failed: 1, unscored: 1 },
    { total: 5, done: 4, running: 0, passed: 1, failed: 1, unscored: 2, costUsd: 0.5 },
  ]);
  expect(published.flatMap(([, finished]) => finished.map(({ unscored }) => unscored))).toEqual([
    undefined,
    'agent_unreachable',
  ]);
});

it('while every task has a score, nothing is said of others', () => {
  const published: Progress[] = [];
  createProgress(1, createManualClock(), (totals) => published.push(totals)).committed(
    [result('a', passing)],
    0,
    0,
  );
  expect(published).toEqual([{ total: 1, done: 1, running: 0, passed: 1, failed: 0, etaMs: 0 }]);
});
