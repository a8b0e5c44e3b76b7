import { asId, type Digest, type Scorecard, type TaskResult } from '@touchstone/protocol';

const digest = (digit: string): Digest => asId<Digest>(`sha256:${digit.repeat(64)}`);

/** A scorecard that adds up, of tasks with these scores. */
export function cardOf(scores: readonly number[] = [1, 0]): Scorecard {
  const results = scores.map(
    (score, at): TaskResult => ({ taskId: asId(`task-${at}`), score, passed: score === 1 }),
  );
  const passedCount = results.filter(({ passed }) => passed).length;
  const aggregateScore = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const suiteId = asId<Scorecard['suite']['suiteId']>('local.test.evals.say');
  const version = asId<Scorecard['suite']['version']>('1.0.0');
  return {
    runId: asId('run-elsewhere'),
    suite: { suiteId, version, digest: digest('1') },
    agent: { agentId: asId('local.test.agent'), version, digest: digest('2') },
    modes: ['golden'],
    totalTasks: scores.length,
    repeats: 1,
    results,
    summary: {
      suiteId,
      suiteVersion: version,
      aggregateScore,
      passed: aggregateScore >= 0.8,
      taskCount: scores.length,
      passedCount,
      tasks: results,
    },
    startedAt: asId('2026-01-31T12:00:00.000Z'),
    endedAt: asId('2026-01-31T12:00:07.250Z'),
    log: { events: 12, digest: digest('3') },
  };
}
