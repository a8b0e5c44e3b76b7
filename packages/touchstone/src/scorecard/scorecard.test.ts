import {
  asId,
  type RepeatScore,
  type RunId,
  type SuiteId,
  type TaskId,
  type TaskResult,
  type Version,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean, nearestRank } from './fold/aggregate.js';
import { buildSummary } from './fold/build.js';
import { foldTask, taskThreshold } from './fold/fold-task.js';

const taskId = asId<TaskId>('t');
const facts = { suiteId: asId<SuiteId>('local.test.evals.a'), suiteVersion: asId<Version>('1.0.0') };
const repeat = (value: number, extra: Partial<RepeatScore> = {}): RepeatScore => ({
  score: { kind: 'scored', value, findings: [] },
  outcome: 'completed',
  latencyMs: 10,
  cost: { unpriced: 0 },
  ...extra,
});
const result = (score: number, extra: Partial<TaskResult> = {}): TaskResult => ({
  taskId,
  score,
  passed: score >= 1,
  latencyMs: 10,
  ...extra,
});

describe('foldTask', () => {
  it('takes the mean score, the sum of costs, the longest latency, all validities and the union of findings', () => {
    const finding = { kind: asId<never>('pii-leak'), severity: 'low' as const };
    const folded = foldTask(
      taskId,
      [
        repeat(1, { latencyMs: 5, cost: { agentUsd: 0.25, judgeUsd: 0.5, unpriced: 0 }, schemaValid: true }),
        repeat(0, {
          latencyMs: 9,
          cost: { agentUsd: 0.25, unpriced: 1 },
          schemaValid: false,
          score: { kind: 'scored', value: 0, findings: [finding, finding] },
        }),
      ],
      0.5,
    );
    expect(folded).toEqual({
      taskId,
      score: 0.5,
      passed: true,
      latencyMs: 9,
      costUsd: 1,
      judgeUsd: 0.5,
      unpriced: 1,
      schemaValid: false,
      findings: [finding],
      repeats: [1, 0],
    });
  });

  it('an unscored repeat fails the task and says so, whatever the others scored', () => {
    const folded = foldTask(
      taskId,
      [repeat(1), repeat(1, { score: { kind: 'unscored', reason: 'agent_unreachable' } })],
      0,
    );
    expect(folded).toMatchObject({ score: 0.5, passed: false, unscored: 'agent_unreachable' });
  });

  it('knows no cost when nobody reported one', () => {
    expect(foldTask(taskId, [repeat(1)], 1)).not.toHaveProperty('costUsd');
  });
});

describe('buildSummary', () => {
  it.each([
    ['score at the threshold passes', { passScore: 0.5 }, [result(1), result(0)], true],
    ['score under the threshold fails', { passScore: 0.51 }, [result(1), result(0)], false],
    ['the default threshold is 0.8', undefined, [1, 1, 1, 1, 0].map((s) => result(s)), true],
    ['and 0.75 is under it', undefined, [1, 1, 1, 0].map((s) => result(s)), false],
    ['cost at the threshold passes', { maxCostUsd: 0.2 }, [result(1, { costUsd: 0.2 })], true],
    ['cost over the threshold fails', { maxCostUsd: 0.1 }, [result(1, { costUsd: 0.2 })], false],
    [
      'a call of unknown price fails a declared cost threshold',
      { maxCostUsd: 9 },
      [result(1, { unpriced: 1 })],
      false,
    ],
    ['and does not matter otherwise', {}, [result(1, { unpriced: 1 })], true],
    ['p95 over the threshold fails', { maxP95LatencyMs: 9 }, [result(1)], false],
    ['p95 at the threshold passes', { maxP95LatencyMs: 10 }, [result(1)], true],
  ])('%s', (_name, thresholds, results, passed) => {
    expect(buildSummary({ ...facts, ...(thresholds && { thresholds }) }, results).passed).toBe(passed);
  });

  it('counts and sums what the results say and nothing else', () => {
    const card = buildSummary(facts, [result(1, { costUsd: 0.5 }), result(0), result(1, { costUsd: 0.25 })]);
    expect(card).toMatchObject({ taskCount: 3, passedCount: 2, totalCostUsd: 0.75 });
    expect(card.tasks.map((task) => task.score)).toEqual([1, 0, 1]);
  });
});

describe('a baseline in the scorecard', () => {
  const baselineRunId = asId<RunId>('run-0');

  it('is named with the change, and where to read about it', () => {
    const regression = { baselineRunId, baselineScore: 0.75, diffRef: '/v1/runs/run-0:diff' };
    const card = buildSummary({ ...facts, regression }, [result(1), result(0)]);
    expect(card.regression).toEqual({ baselineRunId, scoreDelta: -0.25, diffRef: '/v1/runs/run-0:diff' });
    const imported = buildSummary({ ...facts, regression: { baselineRunId, baselineScore: 0.5 } }, [
      result(1),
    ]);
    expect(imported.regression).toEqual({ baselineRunId, scoreDelta: 0.5 });
  });

  it('changes nothing else, whatever became of the score', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1)), fc.constantFrom(0, 0.5, 1), (scores, baselineScore) => {
        const results = scores.map((score) => result(score));
        const { regression, ...card } = buildSummary(
          { ...facts, regression: { baselineRunId, baselineScore } },
          results,
        );
        expect(card).toEqual(buildSummary(facts, results));
        expect(regression?.scoreDelta).toBe(card.aggregateScore - baselineScore);
      }),
    );
  });
});

describe('aggregates', () => {
  it('a tenth, ten thousand times, is a tenth', () => {
    expect(mean(Array.from({ length: 10_000 }, () => 0.1))).toBe(0.1);
  });

  it('the nearest rank is a value with at least that share at or below it, and the smallest such', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1000), { minLength: 1 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const rank = nearestRank(values, percent);
          const atOrBelow = (limit: number) => values.filter((value) => value <= limit).length * 100;
          expect(values).toContain(rank);
          expect(atOrBelow(rank)).toBeGreaterThanOrEqual(percent * values.length);
          const smaller = values.filter((value) => value < rank);
          if (smaller.length > 0)
            expect(atOrBelow(Math.max(...smaller))).toBeLessThan(percent * values.length);
        },
      ),
    );
  });

  it('a golden task must be right, a rubric task good enough, unless the suite says otherwise', () => {
    expect([
      taskThreshold('golden', undefined),
      taskThreshold('rubric', undefined),
      taskThreshold('golden', { passScore: 0.4 }),
    ]).toEqual([1, 0.8, 0.4]);
  });
});
