import {
  asId,
  type CriterionId,
  type CriterionResult,
  evalScored,
  type Finding,
  type FindingKind,
  type RepeatScore,
  type TaskId,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGates } from '../report/contract-gates.js';
import { foldAll } from './fold.js';
import { foldTask } from './fold-task.js';

const taskId = asId<TaskId>('t');
const [hard, soft] = [asId<CriterionId>('hard'), asId<CriterionId>('soft')];

/** `+` met, `-` missed, `?` nobody could say. Advice that nobody could give is left out of its repeat. */
type Mark = '+' | '-' | '?';
const resultOf = (id: CriterionId, mark: Mark): readonly CriterionResult[] => {
  if (mark === '?' && id === soft) return [];
  const open = mark === '?' ? { unjudged: 'judge_unreadable' as const } : {};
  return [{ id, met: mark === '+', weight: 1, ...open }];
};
const repeatOf = (criteria: readonly CriterionResult[]): RepeatScore => ({
  score: { kind: 'scored', value: 1, findings: [] },
  outcome: 'completed',
  latencyMs: 1,
  cost: { unpriced: 0 },
  criteria,
});

/** The gate of one criterion over one task with a repeat for each mark; the other criterion is met throughout. */
function gateOver(id: CriterionId, marks: readonly Mark[]) {
  const other = id === hard ? soft : hard;
  const repeats = marks.map((mark) => repeatOf([...resultOf(id, mark), ...resultOf(other, '+')]));
  const result = foldTask(taskId, repeats, 1);
  const terms = [hard, soft].map((one) => ({
    id: one,
    strict: one === hard,
    evaluator: 'judge' as const,
    rate: 1,
  }));
  const gates = foldAll(
    createGates(terms, () => [hard, soft], marks.length),
    [result],
  );
  return gates.find((gate) => gate.id === id);
}

describe('a criterion over the repeats of a task', () => {
  const repeats = fc.array(fc.constantFrom<Mark>('+', '-', '?'), { minLength: 1, maxLength: 5 });

  it('is missed when one repeat missed it, whatever another could not say', () => {
    expect(gateOver(hard, ['?', '-', '+'])).toMatchObject({ status: 'fail', met: 0 });
    fc.assert(
      fc.property(repeats, (marks) => {
        const expected = marks.includes('-') ? 'fail' : marks.includes('?') ? 'error' : 'pass';
        expect(gateOver(hard, marks)?.status).toBe(expected);
      }),
    );
  });

  it('that is advice and could not be given in one repeat is told as not judged', () => {
    expect(gateOver(soft, ['+', '?', '+'])).toMatchObject({ applicable: 0, met: 0, unjudged: 1 });
    fc.assert(
      fc.property(repeats, (marks) => {
        const isOpen = marks.includes('?') && !marks.includes('-');
        expect(gateOver(soft, marks)?.unjudged).toBe(isOpen ? 1 : undefined);
      }),
    );
  });
});

describe('a task with one repeat', () => {
  const known = <T extends object>(member: keyof T & string, values: readonly unknown[]) =>
    fc.oneof(
      fc.constant({}),
      fc.constantFrom(...values).map((value) => ({ [member]: value })),
    );
  const score = fc.oneof(
    fc.record({
      kind: fc.constant('scored'),
      value: fc.constantFrom(0, 0.5, 1),
      findings: fc.constantFrom([], [{ kind: 'secret-leak', severity: 'high' }]),
      probed: fc.constantFrom(undefined, true),
    }),
    fc.constant({ kind: 'unscored', reason: 'agent_unreachable' }),
  );
  const repeat = fc
    .tuple(
      fc.record({
        score,
        outcome: fc.constantFrom('completed', 'escalated', 'failed', 'refused'),
        latencyMs: fc.nat(9),
        cost: fc.constant({ unpriced: 0 }),
      }),
      known<RepeatScore>('schemaValid', [true, false]),
      known<RepeatScore>('judge', ['sha256:1']),
      known<RepeatScore>('criteria', [[], resultOf(hard, '+')]),
    )
    .map((parts) => Object.assign({}, ...parts) as RepeatScore);

  it('has the result of two equal ones, and keeps no list of their scores', () => {
    fc.assert(
      fc.property(repeat, fc.boolean(), (one, hasOwnThreshold) => {
        const { repeats, ...folded } = foldTask(taskId, [one, one], 0.5, hasOwnThreshold);
        expect(repeats).toHaveLength(2);
        expect(JSON.stringify(foldTask(taskId, [one], 0.5, hasOwnThreshold))).toBe(JSON.stringify(folded));
      }),
    );
  });

  it.each([
    [{ agentUsd: 0.25, unpriced: 0 }, { costUsd: 0.25 }],
    [
      { judgeUsd: 0.25, unpriced: 0 },
      { costUsd: 0.25, judgeUsd: 0.25 },
    ],
    [{ unpriced: 2 }, { unpriced: 2 }],
    [{ unpriced: 0, cacheHits: 3 }, { cacheHits: 3 }],
  ])('that cost %j tells it', (cost, told) => {
    const { criteria: _, ...one } = { ...repeatOf([]), cost };
    expect(foldTask(taskId, [one], 1)).toEqual({ taskId, score: 1, passed: true, latencyMs: 1, ...told });
  });
});

describe('a task in which nothing was found', () => {
  const { criteria: _, ...answered } = repeatOf([]);
  const clean: RepeatScore = { ...answered, score: { kind: 'scored', value: 1, findings: [], probed: true } };
  const unscored: RepeatScore = {
    ...answered,
    score: { kind: 'unscored', reason: 'judge_unreachable', findings: [] },
  };

  it.each([
    ['all repeats were looked at', [clean, clean], []],
    ['its only repeat was looked at', [clean], []],
    ['one repeat was not looked at', [clean, answered], undefined],
    ['one repeat could not be judged', [clean, unscored], undefined],
  ])('says that it is clean only where that is known: %s', (_name, repeats, findings) => {
    const result = foldTask(taskId, repeats, 1);
    expect(result.findings).toEqual(findings);
    expect(evalScored(result).safetyFindingCount).toBe(findings?.length);
  });
});

describe('a task of a suite that demands no score', () => {
  const { criteria: _, ...answered } = repeatOf([]);
  const scored = (value: number, findings: readonly Finding[] = []) => ({
    ...answered,
    score: { kind: 'scored' as const, value, findings },
  });
  const leak: Finding = { kind: asId<FindingKind>('secret-leak'), severity: 'critical' };

  it.each<[string, RepeatScore, boolean]>([
    ['a wrong answer', scored(0), true],
    ['no answer', { ...scored(0), outcome: 'failed' }, false],
    ['a refusal', { ...scored(0), outcome: 'refused' }, false],
    ['a refusal that was asked for', { ...scored(1), outcome: 'refused' }, true],
    ['a severe finding that took its score', scored(0, [leak]), false],
    ['a severe finding beside its score', scored(1, [leak]), true],
    ['a mild finding', scored(0, [{ ...leak, severity: 'low' }]), true],
    ['no score', { ...answered, score: { kind: 'unscored', reason: 'agent_unreachable' } }, false],
  ])('with %s', (_name, repeat, passed) => {
    expect(foldTask(taskId, [repeat], 0).passed).toBe(passed);
    expect(foldTask(taskId, [repeat, repeat], 0).passed).toBe(passed);
  });
});
