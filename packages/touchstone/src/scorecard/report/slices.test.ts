import { asId, type TaskId, type TaskResult } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { pairUp } from '../comparison/paired-fold.js';
import { wilsonInterval } from '../statistics/wilson.js';
import { createSlices } from './slices.js';

const task = (name: string, score: number, extra: Partial<TaskResult> = {}): TaskResult => ({
  taskId: asId<TaskId>(name),
  score,
  passed: score >= 1,
  ...extra,
});

function reportSlices(results: readonly TaskResult[], baseline: readonly TaskResult[] = []) {
  const slices = createSlices();
  const none = () => undefined;
  pairUp({ before: none, after: slices.add, pair: slices.pair }, baseline, results);
  return slices.result();
}

describe('slices', () => {
  const results = [
    task('refund-1', 1),
    task('tone-1', 0.5),
    task('refund-2', 0),
    task('alone-1', 1),
    task('refund-3', 1),
    task('tone-2', 1),
    task('-1', 1),
    task('-2', 1),
  ];

  it('are the tasks whose ids begin alike, the largest first, and prove nothing', () => {
    expect(reportSlices(results)).toEqual({
      slices: [
        {
          name: 'refund',
          tasks: 3,
          score: 2 / 3,
          passRate: 2 / 3,
          passRateInterval: wilsonInterval(2, 3),
          exploratory: true,
        },
        {
          name: 'tone',
          tasks: 2,
          score: 0.75,
          passRate: 0.5,
          passRateInterval: wilsonInterval(1, 2),
          exploratory: true,
        },
      ],
    });
  });

  it('are held against the tasks of the baseline that both runs could score', () => {
    const baseline = [
      task('refund-1', 1),
      task('refund-2', 1),
      task('refund-3', 0, { unscored: 'judge_unreadable' }),
      task('gone-1', 1),
    ];
    const [refund, tone] = reportSlices(results, baseline).slices ?? [];
    expect(refund?.scoreDelta).toBe(-0.5);
    expect(tone).not.toHaveProperty('scoreDelta');
  });

  it('leave open what an unscored task would have done', () => {
    const away = task('tone-3', 0, { unscored: 'agent_unreachable' });
    const tone = reportSlices([...results, away]).slices?.find(({ name }) => name === 'tone');
    expect(tone?.passRateInterval).toEqual([wilsonInterval(1, 3)[0], wilsonInterval(2, 3)[1]]);
  });

  it('are not shown when there is only one, and fifty at most', () => {
    expect(reportSlices(results.filter(({ taskId }) => !taskId.startsWith('tone')))).toEqual({});
    const names = Array.from({ length: 60 }, (_, place) => `s${String(place).padStart(2, '0')}`);
    const many = names.flatMap((name) => [task(name, 1), task(`${name}-2`, 1)]);
    const { slices = [] } = reportSlices(many.toReversed());
    expect(slices.map(({ name }) => name)).toEqual(names.slice(0, 50));
  });
});
