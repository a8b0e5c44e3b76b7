import type { TaskSpan } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { withVotesTogether } from './votes.js';

const span = (kind: TaskSpan['kind'], startMs: number, more: Partial<TaskSpan> = {}): TaskSpan =>
  ({ kind, repeat: 0, name: `local/${kind}-1`, startMs, durationMs: 500, ...more }) as TaskSpan;

it('puts the votes of a judge on one line, with what they took and cost together', () => {
  const votes = [1000, 1100, 1700].map((startMs) =>
    span('judge', startMs, { tokens: { input: 10, output: 2 }, costUsd: 0.25 }),
  );
  const [model, judge, ...rest] = withVotesTogether([span('model', 0), ...votes]);
  expect(model).toEqual(span('model', 0));
  expect(judge).toMatchObject({
    name: 'local/judge-1',
    startMs: 1000,
    durationMs: 1200,
    tokens: { input: 30, output: 6 },
    costUsd: 0.75,
    calls: votes,
  });
  expect(rest).toEqual([]);
});

it('keeps models apart, and judges of other names', () => {
  const spans = [
    span('model', 0),
    span('model', 500),
    span('judge', 1000),
    span('judge', 1500, { name: 'other' }),
  ];
  expect(withVotesTogether(spans)).toEqual(spans);
});
