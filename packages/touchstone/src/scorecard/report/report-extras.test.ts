import {
  type AgentId,
  type AnnotationId,
  asId,
  type Digest,
  type EvalPlan,
  type EventId,
  type PrincipalId,
  type RunId,
  type SuiteId,
  type TaskId,
  type TaskResult,
  type Timestamp,
  type Version,
} from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { buildReport } from './report.js';

const runId = asId<RunId>('run-1');
const version = asId<Version>('1.0.0');
const plan: EvalPlan = {
  kind: 'eval',
  suite: { suiteId: asId<SuiteId>('local.test.evals.a'), version, digest: asId<Digest>('sha256:5') },
  agent: {
    agentId: asId<AgentId>('local.test.a'),
    version,
    digest: asId<Digest>('sha256:a'),
    channel: asId('beta'),
  },
  modes: ['golden'],
  totalTasks: 12,
  repeats: 1,
  concurrency: 8,
};

describe('a report with more at hand', () => {
  const endedAt = asId<Timestamp>('2026-01-01T00:00:00.000Z');
  const numbered = (scores: readonly number[]): TaskResult[] =>
    scores.map((score, place) => ({
      taskId: asId<TaskId>(`${place % 2 ? 'odd' : 'even'}-${place}`),
      score,
      passed: score >= 1,
    }));
  const before = numbered(Array.from({ length: 12 }, () => 1));
  const after = numbered(Array.from({ length: 12 }, (_, place) => (place < 6 ? 0 : 1)));
  const baseline = { runId: asId<RunId>('run-0'), agent: plan.agent, endedAt, results: before };
  const facts = { runId, plan };

  it('holds the run against its baseline, under the tolerance of its plan', () => {
    const strict = buildReport(facts, after, { baseline });
    expect(strict.regression).toMatchObject({
      baselineRunId: 'run-0',
      scoreDelta: -0.5,
      pValue: 1 / 64,
      verdict: 'fail',
      tolerance: 0,
    });
    expect(strict.regression?.baseline.agent).not.toHaveProperty('channel');
    expect(strict.regression).not.toHaveProperty('otherJudge');
    const lenient = { runId, plan: { ...plan, tolerance: 0.5 } };
    const compared = buildReport(lenient, after, { baseline: { ...baseline, otherJudge: true } });
    expect(compared.regression).toMatchObject({ verdict: 'pass', tolerance: 0.5, otherJudge: true });
    expect(compared.slices?.map(({ name, scoreDelta }) => [name, scoreDelta])).toEqual([
      ['even', -0.5],
      ['odd', -0.5],
    ]);
  });

  it('shows people’s corrections beside the recorded scores, and lets them change nothing else', () => {
    const overrides = [
      {
        taskId: asId<TaskId>('even-0'),
        eventId: asId<EventId>('event-1'),
        annotationId: asId<AnnotationId>('annotation-1'),
        override: { score: 1, passed: true },
        by: asId<PrincipalId>('ana'),
        at: endedAt,
      },
    ];
    const { adjusted, ...rest } = buildReport(facts, after, { baseline, overrides });
    expect(adjusted).toMatchObject({ score: 7 / 12, passed: false });
    expect(rest).toEqual(buildReport(facts, after, { baseline }));
  });
});
