import { expect, it, onTestFinished } from 'vitest';
import { createBuckets, createOwnBuckets, createPaces } from '../../net/index.js';
import { manualClock } from '../fixtures/manual-clock.js';
import { ACME, freeBound, modelsFor, passingTime, pinOf, questionOf } from '../fixtures/model-parts.js';
import { startModelServer } from '../fixtures/model-server.js';

async function openLimited(limits: object) {
  const server = await startModelServer(() => ({ say: 'Yes.' }));
  onTestFinished(() => server.close());
  const clock = manualClock();
  const bucketOf = createBuckets({ clock, take: createOwnBuckets(clock) });
  const local = { kind: 'openai-compatible', baseUrl: server.baseUrl, limits };
  const parts = { bucketOf, paceOf: createPaces(clock, { bucketOf }) };
  const model = await modelsFor({ local }, clock, parts).open(ACME, pinOf('local'));
  const ask = async () => {
    const bound = freeBound(clock);
    const { value } = await passingTime(model.ask(questionOf('Well?'), bound), clock);
    if (value.kind !== 'reply') throw new Error(`The model did not answer: ${value.kind}.`);
    return { tokens: value.usage.inputTokens + value.usage.outputTokens, waitedMs: bound.effort.waitedMs };
  };
  return { ask };
}

it('a question waits until the tokens of the answers before are made up for, as waiting and not as work', async () => {
  const { ask } = await openLimited({ tokensPerMinute: 60 });
  const first = await ask();
  expect(first.waitedMs).toBe(0);
  expect(first.tokens).toBeGreaterThan(6);
  const { waitedMs } = await ask();
  // One token comes in each second, and six were there.
  expect(waitedMs).toBeGreaterThan((first.tokens - 6) * 1_000);
  expect(waitedMs).toBeLessThan((first.tokens + 2) * 1_000);
});

it('requests beyond a tenth of a minute wait for their second', async () => {
  const { ask } = await openLimited({ requestsPerMinute: 20 });
  expect([(await ask()).waitedMs, (await ask()).waitedMs]).toEqual([0, 0]);
  expect((await ask()).waitedMs).toBe(3_000);
});
