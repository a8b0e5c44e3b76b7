import {
  type AgentId,
  asId,
  type CriterionId,
  type Digest,
  type EvalPlan,
  type FindingKind,
  type JudgeIdentity,
  type ModelName,
  type RunId,
  type SuiteId,
  type TaskId,
  type TaskResult,
  type Version,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSummary } from '../fold/build.js';
import { decideVerdict } from '../statistics/decide-verdict.js';
import { buildFigures, buildReport } from './report.js';

const runId = asId<RunId>('run-1');
const version = asId<Version>('1.0.0');
const suiteId = asId<SuiteId>('local.test.evals.a');
const plan: EvalPlan = {
  kind: 'eval',
  suite: { suiteId, version, digest: asId<Digest>('sha256:5') },
  agent: {
    agentId: asId<AgentId>('local.test.a'),
    version,
    digest: asId<Digest>('sha256:a'),
    channel: asId('beta'),
  },
  modes: ['golden'],
  totalTasks: 50,
  repeats: 1,
  concurrency: 8,
};
const task = (score: number, extra: Partial<TaskResult> = {}, name = 't'): TaskResult => ({
  taskId: asId<TaskId>(name),
  score,
  passed: score >= 1,
  latencyMs: 10,
  ...extra,
});
const tasks = (count: number, score: number, extra?: Partial<TaskResult>): TaskResult[] =>
  Array.from({ length: count }, () => task(score, extra));
const report = (results: readonly TaskResult[], extra: Partial<EvalPlan> = {}, passScore?: number) =>
  buildReport(
    { runId, plan: { ...plan, ...extra }, ...(passScore !== undefined && { thresholds: { passScore } }) },
    results,
  );

describe('the verdict', () => {
  it.each([
    ['pass', [0.8, 0.9]],
    ['inconclusive', [0.79, 0.9]],
    ['inconclusive', [0.7, 0.8]],
    ['fail', [0.7, 0.79]],
  ] as const)('is %s for a threshold of 0.8 and the interval %j', (verdict, interval) => {
    expect(decideVerdict(interval, 0.8)).toBe(verdict);
  });

  it.each([
    ['pass', 'every one of 40 tasks', tasks(40, 1)],
    ['fail', 'none of 40 tasks', tasks(40, 0)],
    ['inconclusive', '34 of 40 tasks, though the scorecard passes', [...tasks(34, 1), ...tasks(6, 0)]],
    ['inconclusive', 'three tasks of three, which prove little', tasks(3, 1)],
    ['pass', '340 of 400 tasks', [...tasks(340, 1), ...tasks(60, 0)]],
  ])('is %s for %s', (verdict, _, results) => {
    expect(report(results).verdict).toBe(verdict);
  });

  it('is about the threshold of the suite', () => {
    const results = [...tasks(340, 1), ...tasks(60, 0)];
    expect(report(results, {}, 0.9)).toMatchObject({ verdict: 'fail', aggregate: { bar: 0.9 } });
    expect(report(results).aggregate.bar).toBe(0.8);
  });
});

const anyResult = fc.record(
  {
    taskId: fc.constant(asId<TaskId>('t')),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    passed: fc.boolean(),
    latencyMs: fc.nat(100_000),
  },
  { requiredKeys: ['taskId', 'score', 'passed', 'latencyMs'] },
);

describe('the aggregate', () => {
  it('is the scorecard’s own, and its intervals hold it', () => {
    fc.assert(
      fc.property(fc.array(anyResult, { minLength: 1, maxLength: 40 }), (results) => {
        const summary = buildSummary({ suiteId, suiteVersion: version }, results);
        const { aggregate, tasks: counts } = report(results);
        expect(aggregate.score).toBe(summary.aggregateScore);
        expect(counts).toEqual({
          total: 50,
          selected: summary.taskCount,
          passed: summary.passedCount,
          unscored: 0,
        });
        expect(aggregate.passRate).toBe(summary.passedCount / summary.taskCount);
        const { interval, passRateInterval } = aggregate;
        expect(interval[0]).toBeLessThanOrEqual(aggregate.score);
        expect(interval[1]).toBeGreaterThanOrEqual(aggregate.score);
        expect(passRateInterval[0]).toBeLessThanOrEqual(aggregate.passRate);
        expect(passRateInterval[1]).toBeGreaterThanOrEqual(aggregate.passRate);
      }),
      { numRuns: 50 },
    );
  });

  it('of equal results is equal, whatever the run is called', () => {
    const results = [...tasks(7, 1), ...tasks(3, 0.5)];
    const other = buildReport({ runId: asId<RunId>('run-2'), plan }, results);
    expect(other.aggregate).toEqual(report(results).aggregate);
  });

  it('leaves open what an unscored task would have scored, and does not fail an agent for it', () => {
    const unscored = { unscored: 'judge_unreachable', passed: false } as const;
    const away = report([...tasks(20, 1), ...tasks(20, 0, unscored)]);
    const wrong = report([...tasks(20, 1), ...tasks(20, 0)]);
    expect(away.aggregate.score).toBe(0.5);
    expect(away.aggregate.interval[0]).toBe(wrong.aggregate.interval[0]);
    expect(away.aggregate.interval[1]).toBeGreaterThan(0.95);
    expect(away.aggregate.passRateInterval[0]).toBe(wrong.aggregate.passRateInterval[0]);
    expect(away.aggregate.passRateInterval[1]).toBe(1);
    expect([away.verdict, wrong.verdict]).toEqual(['inconclusive', 'fail']);
  });

  it('of a run without tasks claims nothing', () => {
    const { aggregate, verdict, latency } = report([]);
    expect(aggregate).toMatchObject({ score: 0, passRate: 0, passRateInterval: [0, 1] });
    expect(verdict).toBe('inconclusive');
    expect(latency).toEqual({ p50Ms: 0, p95Ms: 0, maxMs: 0 });
  });
});

describe('the parts of a report', () => {
  it('name suite, agent and mode, and leave out what there was none of', () => {
    expect(report([task(1)])).toEqual({
      runId: 'run-1',
      suite: { ref: 'local.test.evals.a@1.0.0', digest: 'sha256:5' },
      agent: { agentId: 'local.test.a', version: '1.0.0', digest: 'sha256:a' },
      modes: ['golden'],
      tasks: { total: 50, selected: 1, passed: 1, unscored: 0 },
      aggregate: expect.any(Object),
      verdict: 'inconclusive',
      cost: {},
      latency: { p50Ms: 10, p95Ms: 10, maxMs: 10 },
    });
  });

  it('list the unscored tasks with their reasons', () => {
    const results = [task(1), task(0, { unscored: 'judge_unreadable' }, 'u')];
    expect(report(results).tasks).toMatchObject({
      unscored: 1,
      unscoredTasks: [{ taskId: 'u', reason: 'judge_unreadable' }],
    });
  });

  it('tell the agent’s cost from the judge’s, and unknown from nothing', () => {
    const results = [
      task(1, { costUsd: 0.5, judgeUsd: 0.125 }),
      task(1, { costUsd: 0.25 }),
      task(1, { unpriced: 2 }),
      task(1, { costUsd: 0.125, judgeUsd: 0.125, cacheHits: 3 }),
    ];
    expect(report(results)).toMatchObject({
      cost: { agentUsd: 0.625, judgeUsd: 0.25, unpriced: 2 },
      cacheHits: 3,
    });
    expect(report([task(1, { costUsd: 0.125, judgeUsd: 0.125 })]).cost).toEqual({ judgeUsd: 0.125 });
    expect(report([task(1, { costUsd: 0 })]).cost).toEqual({ agentUsd: 0 });
  });

  it('follow a criterion through the tasks by its id', () => {
    const [a, b] = [asId<CriterionId>('c-a'), asId<CriterionId>('c-b')];
    const results = [
      task(1, {
        criteria: [
          { id: a, met: 1, weight: 2, agreement: 1 },
          { id: b, met: 0, weight: 1 },
        ],
      }),
      task(0.5, { criteria: [{ id: a, met: 0.5, weight: 1, agreement: 0.5 }] }),
      task(1),
    ];
    expect(report(results).criteria).toEqual([
      { id: 'c-a', applicable: 2, met: 0.75, weight: 1.5, agreement: 0.75 },
      { id: 'c-b', applicable: 1, met: 0, weight: 1 },
    ]);
  });

  it('name the judge, how far its votes agreed, and the run that was judged again', () => {
    const judge: JudgeIdentity = {
      provider: asId<ModelName>('p'),
      model: asId<ModelName>('m'),
      votes: 3,
      promptDigest: asId<Digest>('sha256:p'),
      digest: asId<Digest>('sha256:j'),
      mock: true,
    };
    const vote = (agreement: number) => ({ id: asId<CriterionId>('c'), met: 1, weight: 1, agreement });
    const results = [task(1, { criteria: [vote(1)] }), task(1, { criteria: [vote(0.5)] })];
    const judged = report(results, {
      judge,
      safetyJudge: judge,
      rejudgeOf: runId,
      modes: ['rubric', 'live-shadow'],
    });
    expect(judged).toMatchObject({ judge: { ...judge, agreement: 0.75 }, safetyJudge: judge });
    expect(judged).toMatchObject({ rejudgeOf: 'run-1', nondeterministic: true });
    expect(report([task(1)], { judge }).judge).toEqual(judge);
  });

  it('count in how many tasks each finding was made, the gravest first', () => {
    const finding = (kind: string, severity: 'low' | 'high') => ({ kind: asId<FindingKind>(kind), severity });
    const results = [
      task(1, { findings: [finding('pii', 'low'), finding('leak', 'high')] }),
      task(1, { findings: [finding('pii', 'low'), finding('abuse', 'low')] }),
    ];
    expect(report(results).findings).toEqual([
      { kind: 'leak', severity: 'high', tasks: 1 },
      { kind: 'abuse', severity: 'low', tasks: 1 },
      { kind: 'pii', severity: 'low', tasks: 2 },
    ]);
  });

  it('take latencies by nearest rank', () => {
    const results = Array.from({ length: 100 }, (_, index) => task(1, { latencyMs: 100 - index }));
    expect(report(results).latency).toEqual({ p50Ms: 50, p95Ms: 95, maxMs: 100 });
  });

  it('the figures of a run have a p95 where a time was measured, also one of 0 ms', () => {
    const p95Of = (latencyMs: number | undefined) =>
      buildFigures({ plan, thresholds: {} } as never, [task(1, { latencyMs } as never)]).p95Ms;
    expect(p95Of(7)).toBe(7);
    expect(p95Of(0)).toBe(0);
    expect(p95Of(undefined)).toBeUndefined();
  });
});

describe('repeats', () => {
  const rubric = { criteria: [{ id: asId<CriterionId>('c'), met: 1, weight: 1 }] };

  it('pass at the threshold of their task’s kind', () => {
    const results = [
      task(0.5, { repeats: [1, 0, 0.9, 0.1] }),
      task(0.9, { ...rubric, repeats: [0.9, 0.8, 0.79, 1] }),
    ];
    const { repeats } = report(results, { repeats: 4 });
    expect(repeats).toMatchObject({ k: 4, tasks: 2, passAtK: 1, passHatK: 0 });
    expect(repeats?.curve[0]).toEqual({ j: 1, passAt: 0.5, passHat: 0.5 });
    expect(repeats?.curve[1]?.passAt).toBeCloseTo((1 / 2 + 1) / 2, 12);
    expect(repeats?.curve[1]?.passHat).toBeCloseTo((0 + 1 / 2) / 2, 12);
    expect(repeats?.curve).toHaveLength(4);
    expect(report(results, { repeats: 4 }, 0.1).repeats).toMatchObject({ passAtK: 1, passHatK: 0.5 });
  });

  it('of a task with an unscored one are left out, and of one repeat there is nothing to say', () => {
    const results = [
      task(1, { repeats: [1, 1] }),
      task(0.5, { repeats: [1, 0], unscored: 'agent_unreachable', passed: false }),
    ];
    expect(report(results, { repeats: 2 }).repeats).toMatchObject({ tasks: 1, passAtK: 1, passHatK: 1 });
    expect(report([task(1)])).not.toHaveProperty('repeats');
    expect(report(results.slice(1), { repeats: 2 })).not.toHaveProperty('repeats');
  });
});
