import { expect, test } from 'vitest';
import { againstFirst, differingTasks, type Matrix, type VariantTest } from './matrix.js';

const result = (changes: Partial<VariantTest> = {}): VariantTest => ({
  verdict: 'pass',
  scoreDelta: -0.02,
  interval: [-0.1, 0.06],
  pValue: 0.3,
  tasks: { paired: 40, differing: 9, unpaired: 0 },
  ...changes,
});

test.each<[string, Partial<VariantTest>, string, string]>([
  [
    'a real drop',
    { verdict: 'fail', scoreDelta: -0.12, pValue: 0.004 },
    'worse',
    'worse: −0.12 (p 0.004), 9 of 40 tasks differ',
  ],
  [
    'a drop that may be chance',
    {},
    'unclear',
    'no clear difference: −0.02 (95 %: −0.10 to +0.06), 9 of 40 tasks differ',
  ],
  [
    'a rise beyond chance',
    { scoreDelta: 0.2, interval: [0.05, 0.4] },
    'better',
    'better: +0.20 (95 %: +0.05 to +0.40), 9 of 40 tasks differ',
  ],
  ['no difference', { tasks: { paired: 40, differing: 0, unpaired: 0 } }, 'same', 'the same on 40 tasks'],
  [
    'too few tasks',
    { verdict: 'inconclusive', interval: [0.1, 0.2] },
    'unclear',
    'cannot tell: −0.02, but only 9 tasks differ (5 are needed)',
  ],
  [
    'no common task',
    { verdict: 'inconclusive', tasks: { paired: 0, differing: 0, unpaired: 9 } },
    'unclear',
    'cannot tell: no task was scored in both runs',
  ],
])('%s has its words', (_, changes, trend, words) => {
  const variant = { name: 'b', options: {}, againstFirst: result(changes) };
  expect(againstFirst(variant)).toEqual({ trend, words });
});

test('a task that one variant could not score differs from one that is 0', () => {
  const tasks = [
    { taskId: 'a', scores: [0, null] },
    { taskId: 'b', scores: [1, 1] },
    { taskId: 'c', scores: [null, null] },
  ];
  expect(
    differingTasks({ suite: 's', variants: [], tasks } satisfies Matrix).map(({ taskId }) => taskId),
  ).toEqual(['a']);
});

test('without a test there are the words of the host, or that one of the two did not complete', () => {
  const variant = { name: 'b', options: {} };
  expect(againstFirst(variant).words).toBe('no verdict: one of the two did not complete');
  expect(againstFirst({ ...variant, notCompared: 'Other judges.' }).words).toBe('no verdict: Other judges.');
});
