// What is evaluated: each suite knows how many of its tasks pass.
import { CANARY, isRight } from './agent.mjs';

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

function suite(name, modes, numbers, input, expected) {
  const tasks = numbers.map((number) => ({
    taskId: `n-${number}`,
    input: { number, canary: CANARY, ...input(number) },
    expected: expected(number),
  }));
  return { name, modes, tasks, passes: numbers.filter(isRight).length };
}

const numbers = (count) => Array.from({ length: count }, (_, number) => number);

export const SUITES = [
  suite('small', ['golden'], numbers(20), (number) => ({ delayMs: (number * 7) % 20 }), golden),
  suite('slow', ['golden'], numbers(24), () => ({ delayMs: 700 }), golden),
  suite('large', ['golden'], numbers(6), () => ({ bytes: 1_000_000 }), golden),
  suite('rubric', ['rubric'], numbers(10), () => ({}), rubric),
];

export const suiteNamed = (name) => SUITES.find((one) => one.name === name);
export const suiteIdOf = (tenant, name) => `local.${tenant}.evals.${name}`;
export const agentIdOf = (tenant) => `local.${tenant}.bot`;

export const documentOf = (tenant, { name, modes, tasks }) => ({
  suiteId: suiteIdOf(tenant, name),
  version: '1.0.0',
  modes,
  tasks,
});
