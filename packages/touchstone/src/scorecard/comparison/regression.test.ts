import {
  type AgentId,
  asId,
  type Digest,
  type ModelName,
  type RunId,
  type TaskId,
  type TaskResult,
  type Timestamp,
  type Version,
} from '@touchstone/protocol';
import fc from 'fast-check';
import jstat from 'jstat';
import { describe, expect, it } from 'vitest';
import { mean } from '../fold/aggregate.js';
import { createRandom } from '../statistics/random.js';
import { type BaselineFacts, compareResults } from './regression.js';

const agent = {
  agentId: asId<AgentId>('local.test.a'),
  version: asId<Version>('1.0.0'),
  digest: asId<Digest>('sha256:a'),
};
const endedAt = asId<Timestamp>('2026-01-01T00:00:00.000Z');

const task = (score: number, name: string, extra: Partial<TaskResult> = {}): TaskResult => ({
  taskId: asId<TaskId>(name),
  score,
  passed: score >= 1,
  ...extra,
});
const run = (scores: readonly number[]): TaskResult[] =>
  scores.map((score, place) => task(score, `t${place}`));
const baseline = (results: readonly TaskResult[], extra: Partial<BaselineFacts> = {}) => ({
  runId: asId<RunId>('run-0'),
  agent,
  endedAt,
  results,
  ...extra,
});
const compare = (before: readonly TaskResult[], after: readonly TaskResult[], tolerance = 0) =>
  compareResults(baseline(before), { results: after }, { tolerance, seed: 'sha256:5' });
const repeat = (count: number, score: number): number[] => Array.from({ length: count }, () => score);

describe('the verdict of a comparison', () => {
  const cases: readonly (readonly [string, readonly number[], readonly number[], number, string])[] = [
    ['nothing moved', [1, 0, 0.5], [1, 0, 0.5], 0, 'pass'],
    ['four tasks of four fell', repeat(4, 1), repeat(4, 0), 0, 'inconclusive'],
    ['one task rose', [0, 1], [1, 1], 0, 'inconclusive'],
    ['five tasks of five fell', repeat(5, 1), repeat(5, 0), 0, 'fail'],
    ['five rose', repeat(5, 0), repeat(5, 1), 0, 'pass'],
    ['four fell and one rose', [1, 1, 1, 1, 0], [0, 0, 0, 0, 1], 0, 'pass'],
    ['a drop of a tenth is the tolerance', repeat(50, 1), [...repeat(45, 1), ...repeat(5, 0)], 0.1, 'pass'],
    ['and exceeds a smaller one', repeat(50, 1), [...repeat(45, 1), ...repeat(5, 0)], 0.09, 'fail'],
    ['three tenths taken from 0.9 are 0.3', repeat(9, 0.9), repeat(9, 0.6), 0.3, 'pass'],
    ['rounding is no difference', repeat(9, 0.1 + 0.2), repeat(9, 0.3), 0, 'pass'],
  ];
  it.each(cases)('%s', (_name, before, after, tolerance, verdict) => {
    expect(compare(run(before), run(after), tolerance).verdict).toBe(verdict);
  });

  it('is inconclusive when no task was scored in both runs', () => {
    const away = [task(0, 't0', { unscored: 'agent_unreachable' })];
    const nothing = compare(run([1]), away);
    expect(nothing).toMatchObject({ verdict: 'inconclusive', pValue: 1, mcnemarP: 1 });
    expect(nothing.tasks).toEqual({ paired: 0, differing: 0, unpaired: 1 });
    expect(nothing).not.toHaveProperty('smallestDetectableDrop');
  });
});

describe('a comparison', () => {
  it('says which run it is held against, what changed sides, and what moved', () => {
    const before = run([1, 1, 0, 0.5, 1, 0]);
    const after = run([0, 1, 1, 0.25, 0, 0]);
    const model = { provider: asId<ModelName>('p'), model: asId<ModelName>('m') };
    const facts = baseline(before, {
      agent: { ...agent, channel: 'beta' } as typeof agent,
      model,
      imported: true,
    });
    const regression = compareResults(
      facts,
      { results: after },
      { tolerance: 0.02, seed: 's', otherJudge: true },
    );
    expect(regression).toEqual({
      baselineRunId: 'run-0',
      baseline: { agent, model, score: 3.5 / 6, endedAt, imported: true },
      scoreDelta: 2.25 / 6 - 3.5 / 6,
      interval: [expect.any(Number), expect.any(Number)],
      // Of the 16 signs of 1, 1, 1 and ¼ these five sum to −1.25 or less: all minus, ¼ plus, and one 1 plus with ¼ minus.
      pValue: 5 / 16,
      mcnemarP: 1,
      verdict: 'inconclusive',
      tolerance: 0.02,
      tasks: { paired: 6, differing: 4, unpaired: 0 },
      smallestDetectableDrop: expect.any(Number),
      toFail: ['t0', 't4'],
      toPass: ['t2'],
      changes: [
        { taskId: 't0', before: 1, after: 0 },
        { taskId: 't4', before: 1, after: 0 },
        { taskId: 't3', before: 0.5, after: 0.25 },
        { taskId: 't2', before: 0, after: 1 },
      ],
      otherJudge: true,
    });
  });

  it('leaves unscored and missing tasks out of every test, but not out of the scores', () => {
    const before = [
      ...run(repeat(8, 1)),
      task(1, 'only-before'),
      task(0, 'u', { unscored: 'judge_unreadable' }),
    ];
    const after = [
      ...run(repeat(7, 1)),
      task(0, 't7', { unscored: 'agent_unreachable' }),
      task(1, 'u'),
      task(1, 'only-after'),
    ];
    const regression = compare(before, after);
    expect(regression.tasks).toEqual({ paired: 7, differing: 0, unpaired: 4 });
    expect(regression).toMatchObject({ verdict: 'pass', pValue: 1, toFail: [], toPass: [], changes: [] });
    expect(regression.scoreDelta).toBe(0.9 - 0.9);
    expect(compare(before, after.slice(0, 8)).scoreDelta).toBe(7 / 8 - 0.9);
  });

  it('lists the thousand largest drops and counts the rest', () => {
    const before = run(repeat(1_500, 1));
    const after = run(Array.from({ length: 1_500 }, (_, place) => (place % 3 === 0 ? 0 : 0.5)));
    const { changes, moreChanges } = compare(before, after);
    expect(changes).toHaveLength(1_000);
    expect(moreChanges).toBe(500);
    expect(changes.slice(0, 2).map(({ taskId }) => taskId)).toEqual(['t0', 't3']);
    expect(changes.slice(500, 502).map(({ taskId }) => taskId)).toEqual(['t1', 't2']);
  });

  it('names cost and latency only when both runs know theirs', () => {
    const known = [
      task(1, 'a', { costUsd: 0.5, judgeUsd: 0.25, latencyMs: 10 }),
      task(1, 'b', { latencyMs: 30 }),
    ];
    const dearer = [
      task(1, 'a', { costUsd: 0.75, latencyMs: 20 }),
      task(1, 'b', { costUsd: 0.5, latencyMs: 40 }),
    ];
    expect(compare(known, dearer)).toMatchObject({
      cost: { beforeUsd: 0.5, afterUsd: 1.25 },
      latency: { before: { p50Ms: 10, p95Ms: 30 }, after: { p50Ms: 20, p95Ms: 40 } },
    });
    expect(compare(known, run([1, 1]))).not.toHaveProperty('latency');
    expect(compare(known, run([1, 1]))).not.toHaveProperty('cost');
    const partly = [task(1, 'a', { costUsd: 0.1, unpriced: 1 }), task(1, 'b')];
    expect(compare(known, partly)).not.toHaveProperty('cost');
  });

  it('is the same for the same results in any order, and turns round when the runs change places', () => {
    const score = fc.integer({ min: 0, max: 4 }).map((quarter) => quarter / 4);
    const both = fc.array(fc.tuple(score, score), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(both, (pairs) => {
        const [before, after] = [run(pairs.map(([was]) => was)), run(pairs.map(([, is]) => is))];
        const there = compare(before, after);
        const shuffled = compare(before.toReversed(), after);
        expect({ ...shuffled, scoreDelta: 0 }).toEqual({ ...there, scoreDelta: 0 });
        const back = compare(after, before);
        expect(back.toFail).toEqual(there.toPass);
        expect(back.mcnemarP).toBe(there.mcnemarP);
        expect(back.scoreDelta).toBeCloseTo(-there.scoreDelta, 12);
        expect(there.interval[0]).toBeLessThanOrEqual(there.scoreDelta + 1e-12);
        expect(there.interval[1]).toBeGreaterThanOrEqual(there.scoreDelta - 1e-12);
        expect([there.verdict, back.verdict]).not.toEqual(['fail', 'fail']);
      }),
      { numRuns: 60 },
    );
  });

  it('has the interval of the paired t where there are enough tasks', () => {
    const random = createRandom('interval');
    const before = run(Array.from({ length: 2_000 }, random));
    const after = before.map((result) => ({ ...result, score: random() * result.score ** 0.5 }));
    const differences = after.map(({ score }, place) => score - (before[place] as TaskResult).score);
    const centre = mean(differences);
    const spread = Math.sqrt(mean(differences.map((one) => (one - centre) ** 2)) / 1_999);
    const reach = jstat.studentt.inv(0.975, 1_999) * spread;
    const [low, high] = compare(before, after).interval;
    expect(Math.abs(low - (centre - reach))).toBeLessThan(0.08 * reach);
    expect(Math.abs(high - (centre + reach))).toBeLessThan(0.08 * reach);
  });
});
