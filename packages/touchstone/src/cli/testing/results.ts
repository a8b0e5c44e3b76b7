import {
  asId,
  type Digest,
  type EvalReport,
  type EvalSummary,
  type ReportedRegression,
  type RunId,
} from '@touchstone/protocol';
import type { RunView } from '../verbs/run/result.js';

/** A report of ten tasks of which eight passed; what a test is about is given. */
export const reportOf = (changes: Partial<EvalReport> = {}): EvalReport => ({
  runId: asId<RunId>('run-1'),
  suite: { ref: 'acme.shop.evals.refunds@1.2.0' as EvalReport['suite']['ref'], digest },
  agent: { agentId: asId('local.acme.support'), version: asId('1.0.0'), digest },
  modes: ['golden'],
  tasks: { total: 10, selected: 10, passed: 8, unscored: 0 },
  aggregate: {
    score: 0.8,
    interval: [0.5012, 0.9479],
    passRate: 0.8,
    passRateInterval: [0.49, 0.9433],
    bar: 0.75,
  },
  verdict: 'inconclusive',
  cost: {},
  latency: { p50Ms: 120, p95Ms: 480, maxMs: 500 },
  ...changes,
});

type Moves = { readonly [taskId: string]: readonly [before: number, after: number] };

/** A comparison in which these tasks moved; a score of 1 has passed. */
export function regressionOf(
  moves: Moves,
  verdict: ReportedRegression['verdict'],
  changes: Partial<ReportedRegression> = {},
): ReportedRegression {
  const moved = Object.entries(moves).map(([taskId, [before, after]]) => ({
    taskId: asId<ReportedRegression['toFail'][number]>(taskId),
    before,
    after,
  }));
  const worstFirst = [...moved].sort((a, b) => a.after - a.before - (b.after - b.before));
  const sum = moved.reduce((total, { before, after }) => total + after - before, 0);
  return {
    baselineRunId: asId<RunId>('run-0'),
    baseline: {
      agent: { agentId: asId('local.acme.support'), version: asId('0.9.0'), digest },
      score: 0.95,
      endedAt: asId('2026-01-01T00:00:00.000Z'),
    },
    scoreDelta: sum / 40,
    interval: [-0.25, -0.05],
    pValue: 0.0039,
    mcnemarP: 0.0078,
    verdict,
    tolerance: 0,
    tasks: { paired: 40, differing: moved.length, unpaired: 0 },
    smallestDetectableDrop: 0.0812,
    toFail: moved.filter(({ before, after }) => before === 1 && after < 1).map(({ taskId }) => taskId),
    toPass: moved.filter(({ before, after }) => before < 1 && after === 1).map(({ taskId }) => taskId),
    changes: worstFirst,
    cost: { beforeUsd: 0.05, afterUsd: 0.06 },
    latency: { before: { p50Ms: 110, p95Ms: 400 }, after: { p50Ms: 120, p95Ms: 480 } },
    ...changes,
  };
}

const digest = asId<Digest>('sha256:0');

/** A scorecard with these tasks, passed or not. */
function summaryOf(tasks: { readonly [taskId: string]: boolean }, passed: boolean): EvalSummary {
  const scores = Object.entries(tasks).map(([taskId, ok]) => ({
    taskId: asId(taskId),
    score: Number(ok),
    passed: ok,
  }));
  const passedCount = scores.filter((score) => score.passed).length;
  return {
    suiteId: asId('acme.shop.evals.refunds'),
    suiteVersion: asId('1.2.0'),
    aggregateScore: passedCount / scores.length,
    passed,
    taskCount: scores.length,
    passedCount,
    tasks: scores as EvalSummary['tasks'],
  };
}

/** A result of a run of those tasks, with a failure for each that did not pass. */
export function resultOf(
  tasks: { readonly [taskId: string]: boolean },
  changes: Partial<RunView> = {},
): RunView {
  const failed = Object.keys(tasks).filter((taskId) => !tasks[taskId]);
  const total = Object.keys(tasks).length;
  return {
    runId: asId<RunId>('run-1'),
    status: 'completed',
    interrupted: false,
    suite: { suiteId: asId('acme.shop.evals.refunds'), version: asId('1.2.0'), digest },
    agent: { agentId: asId('local.acme.support'), version: asId('1.0.0'), digest },
    summary: summaryOf(tasks, failed.length === 0),
    thresholds: { passScore: 0.9 },
    counts: { total, selected: total, passed: total - failed.length, failed: failed.length, unscored: 0 },
    unscored: [],
    failures: failed.map((taskId) => ({ taskId, score: 0 })),
    unpriced: 0,
    repeats: 1,
    wallMs: 1500,
    ...changes,
  };
}
