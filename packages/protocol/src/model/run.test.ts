import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RunOutcome, verdictOn, withoutContractOutcome } from './run.js';
import { CONTRACT_VERDICTS } from './verdicts.js';

const optional = { requiredKeys: ['passed', 'unscored'] as ['passed', 'unscored'] };
const outcomes: fc.Arbitrary<RunOutcome> = fc.record(
  {
    passed: fc.boolean(),
    unscored: fc.nat({ max: 2 }),
    contractVerdict: fc.constantFrom(...CONTRACT_VERDICTS),
    otherBarsMet: fc.boolean(),
  },
  optional,
);

describe('the verdict on a run', () => {
  test.each<[RunOutcome, string]>([
    [{ passed: true, unscored: 0 }, 'pass'],
    [{ passed: false, unscored: 0 }, 'fail'],
    [{ passed: true, unscored: 0, contractVerdict: 'fail' }, 'fail'],
    [{ passed: false, unscored: 0, contractVerdict: 'pass' }, 'fail'],
    [{ passed: false, unscored: 0, contractVerdict: 'pass', otherBarsMet: true }, 'pass'],
    [{ passed: true, unscored: 0, contractVerdict: 'pass', otherBarsMet: false }, 'fail'],
    [{ passed: true, unscored: 0, contractVerdict: 'error' }, 'error'],
    [{ passed: true, unscored: 1, contractVerdict: 'pass' }, 'error'],
  ])('of %j is %s', (outcome, verdict) => {
    expect(verdictOn(outcome)).toBe(verdict);
  });

  test('is a pass only by the word of the contract, where there is one, and never with a task open', () => {
    fc.assert(
      fc.property(outcomes, (outcome) => {
        if (verdictOn(outcome) !== 'pass') return;
        expect(outcome.contractVerdict ?? 'pass').toBe('pass');
        expect(outcome.unscored).toBe(0);
      }),
    );
  });
});

test('facts are told like others: with the word of the contract, or silent about it', () => {
  fc.assert(
    fc.property(outcomes, outcomes, (facts, others) => {
      const told = withoutContractOutcome(facts, others);
      if (others.contractVerdict) expect(told).toBe(facts);
      else expect(told).toEqual({ passed: facts.passed, unscored: facts.unscored });
    }),
  );
});
