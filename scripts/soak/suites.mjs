// What is evaluated: each suite knows how many of its tasks pass.
import { CALL_USD, CANARY, isRight } from './agent.mjs';

const golden = (number) => ({
  kind: 'golden',
  match: { strategy: 'contains', value: `answer ${number};` },
});

const rubric = (number) => ({
  kind: 'rubric',
  rubric: [
    { criterion: `[check:regex {"pattern":"answer ${number};"}] It has the number.`, weight: 1 },
    { criterion: `[check:contains {"text":"${CANARY}"}] It has the canary.`, weight: 0 },
  ],
});

/** `configurable` is sent with each of its runs; `endsBy` is the error that ends them, where one does. */
function suite(name, modes, numbers, input, expected, { configurable, endsBy } = {}) {
  const tasks = numbers.map((number) => ({
    taskId: `n-${number}`,
    input: { number, canary: CANARY, ...input(number) },
    expected: expected(number),
  }));
  return { name, modes, tasks, passes: numbers.filter(isRight).length, configurable, endsBy };
}

const numbers = (count) => Array.from({ length: count }, (_, number) => number);

export const SUITES = [
  suite('small', ['golden'], numbers(20), (number) => ({ delayMs: (number * 7) % 20 }), golden),
  suite('slow', ['golden'], numbers(24), () => ({ delayMs: 700 }), golden),
  suite('large', ['golden'], numbers(6), () => ({ bytes: 1_000_000 }), golden),
  suite('rubric', ['rubric'], numbers(10), () => ({}), rubric),
];

/** For processes that share runs: many tasks at a time, and a budget that a few of the tasks use up. */
export const CAPPED = { calls: 20, atATime: 8 };
export const FLEET_SUITES = [
  ...SUITES.filter(({ name }) => name !== 'large'),
  suite('wide', ['golden'], numbers(160), (number) => ({ delayMs: 100 + (number % 7) * 40 }), golden, {
    configurable: { concurrency: 40 },
  }),
  suite('capped', ['golden'], numbers(120), () => ({ delayMs: 200 }), golden, {
    configurable: { concurrency: CAPPED.atATime, budget: { maxCostUsd: CAPPED.calls * CALL_USD } },
    endsBy: 'budget_exhausted',
  }),
];

export const suiteNamed = (name) => [...SUITES, ...FLEET_SUITES].find((one) => one.name === name);
export const suiteIdOf = (tenant, name) => `local.${tenant}.evals.${name}`;
export const agentIdOf = (tenant) => `local.${tenant}.bot`;

export const documentOf = (tenant, { name, modes, tasks }) => ({
  suiteId: suiteIdOf(tenant, name),
  version: '1.0.0',
  modes,
  tasks,
});
