import { asId, type Look, type RunId, type TaskResult } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { isDecided, lookAfterEach } from './looks.js';

const result = (taskId: string, score: number, more: Partial<TaskResult> = {}): TaskResult => ({
  taskId: asId(taskId),
  score,
  passed: score === 1,
  ...more,
});
const round = (name: string, size: number, score: (at: number) => number, from = 0) => ({
  runId: asId<RunId>(name),
  results: Array.from({ length: size }, (_, at) => result(`t-${from + at}`, score(at))),
});
const RULES = { bar: 0.8, tolerance: 0 };

describe('a look after each round', () => {
  it('is about all tasks so far, and its interval only gets narrower', () => {
    const rounds = [round('a', 40, (at) => (at % 4 === 0 ? 0 : 1)), round('b', 40, () => 1, 40)];
    const [first, second] = lookAfterEach(rounds, RULES) as [Look, Look];
    expect([first.runId, first.tasks, first.score, first.verdict]).toEqual(['a', 40, 0.75, 'inconclusive']);
    expect([second.runId, second.tasks, second.score]).toEqual(['b', 80, 0.875]);
    expect(second.interval[0]).toBeGreaterThanOrEqual(first.interval[0]);
    expect(second.interval[1]).toBeLessThanOrEqual(first.interval[1]);
  });

  it('keeps a verdict that an earlier round has shown, although later scores look otherwise', () => {
    const [first, second] = lookAfterEach([round('a', 60, () => 1), round('b', 10, () => 0, 60)], RULES) as [
      Look,
      Look,
    ];
    expect([first.verdict, second.verdict]).toEqual(['pass', 'pass']);
  });

  it('allows a task without a score any score', () => {
    const open = { runId: asId<RunId>('a'), results: round('a', 60, () => 1).results.slice(0, 30) };
    const unscored = Array.from({ length: 30 }, (_, at) =>
      result(`u-${at}`, 0, { unscored: 'agent_unreachable' }),
    );
    const [look] = lookAfterEach([{ ...open, results: [...open.results, ...unscored] }], RULES) as [Look];
    expect([look.unscored, look.verdict, look.interval[1]]).toEqual([30, 'inconclusive', 1]);
  });
});

describe('a comparison over rounds', () => {
  const before = round('base', 80, () => 1).results;
  const against = { ...RULES, against: before };

  it('finds a drop as soon as it is certain', () => {
    const [look] = lookAfterEach([round('a', 40, (at) => (at % 2 ? 1 : 0))], against) as [Look];
    expect(look.regression).toMatchObject({ paired: 40, differing: 20, scoreDelta: -0.5, verdict: 'fail' });
    expect(isDecided(look)).toBe(true);
  });

  it('needs more tasks that differ than the comparison of two runs, because it may be looked at again and again', () => {
    const dropped = (count: number) =>
      lookAfterEach([round('a', 80, (at) => (at < count ? 0 : 1))], against)[0]?.regression?.verdict;
    expect([dropped(5), dropped(10)]).toEqual(['inconclusive', 'fail']);
  });

  it('rules a drop out only with a tolerance, and a certain drop within it is none', () => {
    const same = [round('a', 80, () => 1)];
    const verdictOf = (tolerance: number, rounds = same) =>
      lookAfterEach(rounds, { ...against, tolerance })[0]?.regression?.verdict;
    expect([verdictOf(0), verdictOf(0.2)]).toEqual(['inconclusive', 'pass']);
    expect(verdictOf(0.3, [round('a', 80, (at) => (at % 10 ? 1 : 0))])).toBe('pass');
  });
});

describe('an evaluation is decided', () => {
  const look = (verdict: Look['verdict'], regression?: Look['verdict']): Look => {
    const [base] = lookAfterEach([round('a', 4, () => 1)], RULES) as [Look];
    const drop = { paired: 1, differing: 0, scoreDelta: 0, interval: [-1, 1] as const };
    return { ...base, verdict, ...(regression && { regression: { ...drop, verdict: regression } }) };
  };
  it.each([
    ['pass', undefined, true],
    ['fail', undefined, true],
    ['inconclusive', undefined, false],
    ['pass', 'pass', true],
    ['pass', 'inconclusive', false],
    ['inconclusive', 'pass', false],
    ['inconclusive', 'fail', true],
    ['fail', 'inconclusive', true],
  ] as const)('when the score is %s and the comparison %s: %s', (verdict, regression, decided) => {
    expect(isDecided(look(verdict, regression))).toBe(decided);
  });
});
