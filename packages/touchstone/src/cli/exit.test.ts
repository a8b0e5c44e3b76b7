import { expect, test } from 'vitest';
import { decideExit, EXIT_ORDER, type ExitCode, worstExit } from './io.js';

type Outcome = Parameters<typeof decideExit>[0];

const done: Outcome = { status: 'completed', passed: true, unscored: 0 };

const TABLE: readonly [string, Outcome, ExitCode][] = [
  ['passed', done, 0],
  ['bar missed', { ...done, passed: false }, 1],
  ['a real regression, bar met', { ...done, regressed: true }, 1],
  ['a real regression, bar missed', { ...done, passed: false, regressed: true }, 1],
  ['certainty was asked for and is not there, bar met', { ...done, inconclusive: true }, 3],
  ['a gate of the contract missed, bar met', { ...done, contract: 'fail' }, 1],
  ['every gate passed, bar missed', { ...done, passed: false, contract: 'pass' }, 1],
  ['nobody could tell about a gate, bar met', { ...done, contract: 'error' }, 3],
  ['nobody could tell about a gate, bar missed', { ...done, passed: false, contract: 'error' }, 3],
  ['a task could not be scored goes before a missed gate', { ...done, unscored: 1, contract: 'fail' }, 3],
  ['certainty goes before a missed bar', { ...done, passed: false, inconclusive: true }, 3],
  ['certainty goes before a regression', { ...done, regressed: true, inconclusive: true }, 3],
  [
    'a budget goes before certainty',
    { ...done, status: 'failed', errorCode: 'budget_exhausted', inconclusive: true },
    4,
  ],
  ['a task could not be scored, bar met', { ...done, unscored: 1 }, 3],
  ['a task could not be scored, bar missed', { ...done, passed: false, unscored: 1 }, 3],
  ['the run failed', { status: 'failed', errorCode: 'run_timeout' }, 3],
  ['the run was cancelled', { status: 'cancelled' }, 3],
  ['the run was paused by someone', { status: 'paused' }, 3],
  ['completed without a scorecard', { status: 'completed' }, 3],
  ['nothing is known', {}, 3],
  ['stopped by a budget', { status: 'failed', errorCode: 'budget_exhausted' }, 4],
  [
    'stopped by a budget, with unscored tasks',
    { status: 'failed', errorCode: 'budget_exhausted', unscored: 2 },
    4,
  ],
  ['bad input', { badInput: true }, 2],
  ['bad input before a budget', { badInput: true, errorCode: 'budget_exhausted' }, 2],
  ['interrupted', { interrupted: true, status: 'running' }, 130],
  [
    'interrupted before anything else',
    { ...done, interrupted: true, badInput: true, errorCode: 'budget_exhausted' },
    130,
  ],
];

test.each(TABLE)('%s', (_name, outcome, code) => {
  expect(decideExit(outcome)).toBe(code);
});

test('of several runs the first code in the order of precedence counts', () => {
  EXIT_ORDER.forEach((code, index) => {
    expect(worstExit(EXIT_ORDER.slice(index))).toBe(code);
    expect(worstExit([...EXIT_ORDER.slice(index)].reverse())).toBe(code);
  });
  expect(worstExit([])).toBe(0);
});
