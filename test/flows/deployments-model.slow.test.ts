import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anySteps, createWalk, openTransitionHost } from './deployment-walk.js';
import type { WholeHost } from './whole-host.js';

// Goal: for any requests, in any order and by any principal, the host does what the rules say and no more, and records
// it. Method: random requests of random principals, each compared with a model of the rules.
let host: WholeHost;
beforeAll(async () => {
  host = await openTransitionHost();
});
afterAll(() => host.close());

it('transitions do what the model says, for everyone and in any order, and leave one run and a growing chain each', async () => {
  const walk = createWalk(host);
  await fc.assert(fc.asyncProperty(anySteps, walk.take), { numRuns: 30 });
  // Neither of these would be a test: one in which nothing works, and one in which everything does.
  for (const count of Object.values(walk.statuses)) expect(count).toBeGreaterThan(50);
  expect([...walk.eventTypes].sort()).toEqual([
    'deployment.canary.adjusted',
    'deployment.promoted',
    'deployment.rolled-back',
    'deployment.state.changed',
  ]);
});
