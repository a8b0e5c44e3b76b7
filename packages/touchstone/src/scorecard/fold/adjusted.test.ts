import {
  type AnnotationId,
  asId,
  type CriterionId,
  type EventId,
  type PrincipalId,
  type TaskId,
  type TaskResult,
  type Thresholds,
  type Timestamp,
} from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createAdjusted, type GivenOverride, type KindOf } from './adjusted.js';
import { foldAll } from './fold.js';

const adjust = (
  results: readonly TaskResult[],
  thresholds: Thresholds | undefined,
  overrides: readonly GivenOverride[],
  kindOf?: KindOf,
) => foldAll(createAdjusted(thresholds, overrides, kindOf), results);

const by = asId<PrincipalId>('ana');
const at = asId<Timestamp>('2026-01-01T00:00:00.000Z');

const task = (name: string, score: number, extra: Partial<TaskResult> = {}): TaskResult => ({
  taskId: asId<TaskId>(name),
  score,
  passed: score >= 1,
  ...extra,
});
const given = (
  name: string,
  override: GivenOverride['override'],
  annotation = `note-${name}`,
): GivenOverride => ({
  taskId: asId<TaskId>(name),
  eventId: asId<EventId>(`event-${name}`),
  annotationId: asId<AnnotationId>(annotation),
  override,
  by,
  at,
});
const rubric = { criteria: [{ id: asId<CriterionId>('c'), met: 1, weight: 1 }] };

describe('the adjusted result', () => {
  it('stands beside the recorded one, with who changed what, in suite order', () => {
    const results = [task('a', 0), task('b', 1), task('c', 0)];
    const overrides = [given('c', { score: 1, passed: true }), given('a', { score: 0.5 })];
    expect(adjust(results, { passScore: 0.5 }, overrides).adjusted).toEqual({
      score: 2.5 / 3,
      passed: true,
      overrides: [
        {
          taskId: 'a',
          eventId: 'event-a',
          annotationId: 'note-a',
          before: { score: 0, passed: false },
          after: { score: 0.5, passed: true },
          by,
          at,
        },
        {
          taskId: 'c',
          eventId: 'event-c',
          annotationId: 'note-c',
          before: { score: 0, passed: false },
          after: { score: 1, passed: true },
          by,
          at,
        },
      ],
    });
    expect(results[0]).toEqual(task('a', 0));
  });

  it('takes the last word on a score and counts the earlier ones', () => {
    const overrides = [
      given('a', { score: 1 }, 'first'),
      given('a', { score: 0.5 }, 'second'),
      given('a', { score: 0, passed: false }, 'third'),
    ];
    const { adjusted } = adjust([task('a', 0)], undefined, overrides);
    expect(adjusted).toMatchObject({ score: 0, passed: false });
    expect(adjusted?.overrides).toMatchObject([{ annotationId: 'third', replaced: 2 }]);
  });

  it('asks of a score the threshold of its task’s kind, unless a side was given', () => {
    const passedAt = (result: TaskResult, override: GivenOverride['override'], kind?: 'golden' | 'rubric') =>
      adjust([result], undefined, [given('a', override)], kind && (() => kind)).adjusted?.overrides[0]?.after
        .passed;
    expect(passedAt(task('a', 0), { score: 0.9 })).toBe(false);
    expect(passedAt(task('a', 0, rubric), { score: 0.9 })).toBe(true);
    expect(passedAt(task('a', 0), { score: 0.9 }, 'rubric')).toBe(true);
    expect(passedAt(task('a', 0), { score: 0, passed: true })).toBe(true);
  });

  it('gives a score to a task that had none, and keeps every other threshold', () => {
    const unscored = task('a', 0, { unscored: 'judge_unreadable', costUsd: 2, latencyMs: 10 });
    const override = [given('a', { score: 1 })];
    expect(adjust([unscored], undefined, override).adjusted).toMatchObject({ score: 1, passed: true });
    expect(adjust([unscored], { maxCostUsd: 1 }, override).adjusted).toMatchObject({
      score: 1,
      passed: false,
    });
    expect(adjust([unscored], { maxP95LatencyMs: 9 }, override).adjusted).toMatchObject({ passed: false });
  });

  it('is absent without an override of a task of this run', () => {
    expect(adjust([task('a', 1)], undefined, [])).toEqual({});
    expect(adjust([task('a', 1)], undefined, [given('b', { score: 0 })])).toEqual({});
  });
});
