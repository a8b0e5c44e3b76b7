import {
  type AgentId,
  asId,
  type CriterionId,
  type Digest,
  type EvalSummary,
  type FindingKind,
  type RunId,
  type Scorecard,
  type SuiteId,
  type TaskId,
  type TaskResult,
  type TaskScore,
  type Thresholds,
  type Timestamp,
  type Version,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSummary } from './build.js';
import { scorecardTroubles } from './check.js';
import { foldTask, taskThreshold } from './fold-task.js';

const suite = {
  suiteId: asId<SuiteId>('local.test.evals.a'),
  version: asId<Version>('1.0.0'),
  digest: asId<Digest>('sha256:5'),
};
const criteria = [{ id: asId<CriterionId>('c'), met: true, weight: 1 }];

function cardOf(results: readonly TaskResult[], repeats: number, thresholds?: Thresholds): Scorecard {
  const facts = { suiteId: suite.suiteId, suiteVersion: suite.version, ...(thresholds && { thresholds }) };
  return {
    runId: asId<RunId>('run-1'),
    suite,
    agent: {
      agentId: asId<AgentId>('local.test.a'),
      version: asId<Version>('1.0.0'),
      digest: asId<Digest>('sha256:a'),
    },
    modes: ['golden'],
    totalTasks: results.length,
    repeats,
    ...(thresholds && { thresholds }),
    results,
    summary: buildSummary(facts, results),
    startedAt: asId<Timestamp>('2026-01-01T00:00:00.000Z'),
    endedAt: asId<Timestamp>('2026-01-01T00:00:01.000Z'),
    log: { events: 9, digest: asId<Digest>('sha256:l') },
  };
}

const finding = { kind: asId<FindingKind>('pii'), severity: 'low' as const };
const folded = (name: string, values: readonly number[], isRubric = false): TaskResult =>
  foldTask(
    asId<TaskId>(name),
    values.map((value) => ({
      score: { kind: 'scored', value, findings: value < 0.5 ? [finding] : [] },
      outcome: 'completed',
      latencyMs: 5,
      cost: { agentUsd: 0.1, unpriced: 0 },
      schemaValid: true,
      ...(isRubric && { criteria }),
    })),
    taskThreshold(isRubric ? 'rubric' : 'golden', undefined),
  );
const sound = cardOf([folded('a', [1]), folded('b', [0]), folded('c', [0.9], true)], 1);

describe('a scorecard that was folded from its results', () => {
  it('is without trouble, also after a journey as JSON', () => {
    const value = fc.integer({ min: 0, max: 3 }).map((third) => third / 3);
    const repeats = fc.integer({ min: 1, max: 4 });
    const ceilings = fc.record({ passScore: value, maxCostUsd: value }, { requiredKeys: [] });
    const cards = repeats.chain((count) =>
      fc.tuple(
        fc.array(fc.array(value, { minLength: count, maxLength: count }), { maxLength: 12 }),
        fc.constant(count),
        fc.option(ceilings, { nil: undefined }),
      ),
    );
    fc.assert(
      fc.property(cards, ([tasks, count, thresholds]) => {
        const results = tasks.map((values, place) =>
          foldTask(
            asId<TaskId>(`t${place}`),
            values.map((one) => ({
              score: { kind: 'scored', value: one, findings: [] },
              outcome: 'completed',
              latencyMs: 5,
              cost: { agentUsd: one / 7, unpriced: 0 },
            })),
            taskThreshold('golden', thresholds),
          ),
        );
        const card = cardOf(results, count, thresholds);
        expect(scorecardTroubles(JSON.parse(JSON.stringify(card)) as Scorecard)).toEqual([]);
      }),
    );
    expect(scorecardTroubles(sound)).toEqual([]);
  });
});

describe('a scorecard that contradicts itself', () => {
  const summary = (change: Partial<EvalSummary>): Scorecard => ({
    ...sound,
    summary: { ...sound.summary, ...change },
  });
  const listed = (change: Partial<TaskScore>): Scorecard =>
    summary({
      tasks: sound.summary.tasks.map((task, place) => (place === 1 ? { ...task, ...change } : task)),
    });
  const result = (change: Partial<TaskResult>): Scorecard => ({
    ...sound,
    results: sound.results.map((one, place) => (place === 1 ? { ...one, ...change } : one)),
  });
  const regression = (scoreDelta: number): Scorecard =>
    summary({ regression: { baselineRunId: asId<RunId>('run-0'), scoreDelta } });

  const lies: readonly (readonly [string, Scorecard, string])[] = [
    [
      'the score',
      summary({ aggregateScore: 0.99 }),
      'summary.aggregateScore does not follow from the results.',
    ],
    ['the verdict', summary({ passed: true }), 'summary.passed does not follow from the results.'],
    ['a count', summary({ passedCount: 3 }), 'summary.passedCount does not follow from the results.'],
    ['the number of tasks', summary({ taskCount: 4 }), 'summary.taskCount does not follow from the results.'],
    ['the cost', summary({ totalCostUsd: 0 }), 'summary.totalCostUsd does not follow from the results.'],
    ['the suite', summary({ suiteId: asId<SuiteId>('x') }), 'summary.suiteId is not the id in suite.'],
    [
      'the version',
      summary({ suiteVersion: asId<Version>('2') }),
      'summary.suiteVersion is not the version in suite.',
    ],
    ['a task left out', summary({ tasks: [] }), 'summary.tasks does not list the tasks of results.'],
    ['a task’s score', listed({ score: 1 }), "summary.tasks: score of task b is not its result's."],
    ['a task’s side', listed({ passed: true }), "summary.tasks: passed of task b is not its result's."],
    [
      'a finding kept quiet',
      listed({ safetyFindings: [] }),
      "summary.tasks: safetyFindings of task b is not its result's.",
    ],
    ['another task', listed({ taskId: asId<TaskId>('z') }), 'summary.tasks: task b is not in its place.'],
    ['an impossible change', regression(-1.5), 'summary.regression.scoreDelta is not within -1 and 1.'],
    [
      'a change that is no number',
      regression(Number.NaN),
      'summary.regression.scoreDelta is not within -1 and 1.',
    ],
    ['a result past the scale', result({ score: 7 }), 'results: score of task b is not within 0 and 1.'],
    [
      'a result that passed below its threshold',
      result({ passed: true }),
      'results: passed of task b does not follow from its score.',
    ],
    [
      'a mean that is none',
      result({ repeats: [1] }),
      'results: score of task b is not the mean of its repeats.',
    ],
    [
      'repeats that were not run',
      result({ repeats: [0, 0] }),
      'results: task b has another number of repeats.',
    ],
    ['a task twice', result({ taskId: asId<TaskId>('a') }), 'results holds a task more than once.'],
    [
      'more tasks than the suite has',
      { ...sound, totalTasks: 2 },
      'results holds more tasks than totalTasks.',
    ],
  ];
  it.each(lies)('about %s is told so', (_name, card, trouble) => {
    expect(scorecardTroubles(card)).toContain(trouble);
  });

  it('about a change within reason is believed, because the baseline is not here', () => {
    expect(scorecardTroubles(regression(-0.4))).toEqual([]);
  });

  it('in every task is told so fifty times', () => {
    const results = Array.from({ length: 80 }, (_, place) => folded(`t${place}`, [1]));
    const card = cardOf(results, 1);
    const tasks = card.summary.tasks.map((task) => ({ ...task, score: 0.5 }));
    const troubles = scorecardTroubles({ ...card, summary: { ...card.summary, tasks } });
    expect(troubles).toHaveLength(51);
    expect(troubles.at(-1)).toBe('There are 30 more.');
  });
});
