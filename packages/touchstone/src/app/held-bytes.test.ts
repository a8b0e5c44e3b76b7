import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHeldBytes } from './held-bytes.js';

const never = new AbortController().signal;
const settled = (promise: Promise<unknown>): Promise<string> =>
  Promise.race([
    promise.then(
      () => 'done',
      () => 'refused',
    ),
    new Promise<string>((resolve) => setImmediate(() => resolve('waiting'))),
  ]);

it('a tenant at its limit waits for its own readers, and no other tenant does', async () => {
  const held = createHeldBytes({ perTenant: 10, total: 100 });
  await held.hold('rival', 10, never);
  const more = held.hold('rival', 1, never);
  expect(await settled(more)).toBe('waiting');
  expect(await settled(held.hold('acme', 10, never))).toBe('done');
  held.release('rival', 10);
  expect(await settled(more)).toBe('done');
});

it('something larger than the limit is held when the tenant holds nothing else', async () => {
  const held = createHeldBytes({ perTenant: 10, total: 20 });
  expect(await settled(held.hold('acme', 50, never))).toBe('done');
  expect(await settled(held.hold('acme', 1, never))).toBe('waiting');
  expect(await settled(held.hold('rival', 50, never))).toBe('done');
});

it('when the process holds what it may, a tenant that holds nothing still has room, and others wait', async () => {
  const held = createHeldBytes({ perTenant: 10, total: 25 });
  for (const tenant of ['a', 'b', 'c']) await held.hold(tenant, 8, never);
  const more = held.hold('a', 2, never);
  expect([await settled(more), await settled(held.hold('acme', 10, never))]).toEqual(['waiting', 'done']);
  held.release('b', 8);
  expect(await settled(more)).toBe('waiting');
  held.release('acme', 10);
  expect([await settled(more), held.total]).toEqual(['done', 18]);
});

it('those who wait come in order, and one that gives up lets the next one pass', async () => {
  const held = createHeldBytes({ perTenant: 10, total: 100 });
  await held.hold('acme', 6, never);
  const leaving = new AbortController();
  const large = held.hold('acme', 9, leaving.signal);
  const small = held.hold('acme', 1, never);
  expect([await settled(large), await settled(small)]).toEqual(['waiting', 'waiting']);
  leaving.abort();
  expect([await settled(large), await settled(small)]).toEqual(['refused', 'done']);
  expect(await settled(held.hold('acme', 1, leaving.signal))).toBe('refused');
});

it('every time there is no room it is told, and what is there anyway counts', () => {
  let full = 0;
  const held = createHeldBytes({ perTenant: 10, total: 100 }, () => {
    full += 1;
  });
  expect([held.tryHold('acme', 10), held.tryHold('acme', 1), full]).toEqual([true, false, 1]);
  held.add('acme', 9);
  expect([held.isFull('acme'), held.total]).toEqual([false, 19]);
  held.add('acme', 1);
  expect([held.isFull('acme'), held.isFull('rival')]).toEqual([true, false]);
});

it('whatever is held and released, nobody goes over, and at the end nothing is left or waits', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 7 })), {
    minLength: 1,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (asked) => {
      const held = createHeldBytes({ perTenant: 7, total: 14 });
      const granted: (readonly [string, number])[] = [];
      const sum = (tenant: string) =>
        granted.reduce((total, [by, bytes]) => total + (by === tenant ? bytes : 0), 0);
      const waits = asked.map(async (step) => {
        await held.hold(...step, never);
        granted.push(step);
        for (const tenant of ['a', 'b', 'c']) expect(sum(tenant)).toBeLessThanOrEqual(7);
      });
      for (let left = asked.length; left > 0; left -= 1) {
        await new Promise((resolve) => setImmediate(resolve));
        const [first] = granted.splice(0, 1);
        expect(first).toBeDefined();
        if (first) held.release(...first);
      }
      await Promise.all(waits);
      expect(held.total).toBe(0);
    }),
    { numRuns: 50 },
  );
});
