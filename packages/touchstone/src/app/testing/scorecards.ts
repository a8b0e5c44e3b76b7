import { asId, type Digest, type Scorecard, type TaskResult } from '@touchstone/protocol';
import { check } from '@touchstone/protocol/wire';
import { expect } from 'vitest';
import type { Answered } from './test-host.js';

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

type Envelope = {
  readonly error: string;
  readonly message: string;
  readonly details: { readonly [key: string]: unknown };
};

/** Expects a refusal: this status, this code, and nothing in the body that the envelope does not have. */
export function expectRefusal(answer: Answered, status: number, code: string): Envelope {
  const body = answer.json<Envelope>();
  expect({ status: answer.status, error: body.error }).toEqual({ status, error: code });
  expect(check('error-envelope', body)).toEqual([]);
  expect(answer.text).not.toMatch(/\bat .*\.(ts|js):\d/);
  return body;
}
