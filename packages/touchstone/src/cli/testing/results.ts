import { asId, type Digest, type EvalSummary, type RunId } from '@touchstone/protocol';
import type { RunView } from '../verbs/run/result.js';

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
