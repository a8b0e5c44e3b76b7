import {
  asId,
  type CriterionId,
  type CriterionResult,
  type RepeatScore,
  type TaskId,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportGates } from '../report/contract-gates.js';
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
  const gates = reportGates(terms, () => [hard, soft], [result], marks.length);
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
