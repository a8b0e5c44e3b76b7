import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { LeaveSlot, Slots } from '../ports/index.js';
import { createSlots } from './slots.js';

/** Work that is named when it begins, and that ends when the test says so. */
function startWork(slots: Slots) {
  const begun: string[] = [];
  const leaves = new Map<string, LeaveSlot>();
  const controllers = new Map<string, AbortController>();
  return {
    begun,
    async start(tenant: string, group: string, name: string): Promise<void> {
      const controller = new AbortController();
      controllers.set(name, controller);
      const leave = await slots.enter(tenant, group, controller.signal);
      if (!leave) return;
      begun.push(name);
      leaves.set(name, leave);
    },
    end: (name: string): void => leaves.get(name)?.(),
    abort: (name: string): void => controllers.get(name)?.abort(),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('work beyond the slots of a tenant waits, and the wait is counted; another tenant begins at once', async () => {
  const onWait = vi.fn();
  const work = startWork(createSlots({ perTenant: 1, onWait }));
  void work.start('acme', 'run-1', 'acme 1');
  void work.start('acme', 'run-1', 'acme 2');
  void work.start('rival', 'run-2', 'rival 1');
  await settled();
  expect(work.begun).toEqual(['acme 1', 'rival 1']);
  expect(onWait).toHaveBeenCalledTimes(1);
  work.end('acme 1');
  await settled();
  expect(work.begun).toEqual(['acme 1', 'rival 1', 'acme 2']);
});

test('runs of a tenant take turns, however many tasks each has waiting', async () => {
  const work = startWork(createSlots({ perTenant: 1 }));
  for (const name of ['a0', 'a1', 'a2', 'a3']) void work.start('acme', 'run-a', name);
  for (const name of ['b0', 'b1']) void work.start('acme', 'run-b', name);
  for (const name of ['a0', 'a1', 'b0', 'a2', 'b1']) {
    await settled();
    work.end(name);
  }
  await settled();
  expect(work.begun).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'a3']);
});

test('a tenant may hold as many slots as are left for the others, so there is one for a tenant that comes late', async () => {
  const work = startWork(createSlots({ perTenant: 100, total: 6 }));
  for (let i = 0; i < 10; i += 1) void work.start('rival', 'run-1', `rival ${i}`);
  for (let i = 0; i < 10; i += 1) void work.start('globex', 'run-2', `globex ${i}`);
  void work.start('acme', 'run-3', 'acme');
  await settled();
  expect(work.begun).toEqual(['rival 0', 'rival 1', 'rival 2', 'globex 0', 'globex 1', 'acme']);
});

test('of several tenants that wait for the last slots each gets its turn, however much the others have waiting', async () => {
  const work = startWork(createSlots({ perTenant: 1, total: 2 }));
  for (const tenant of ['rival', 'globex'])
    for (let i = 0; i < 5; i += 1) void work.start(tenant, 'run-1', `${tenant} ${i}`);
  void work.start('acme', 'run-2', 'acme');
  await settled();
  work.end('rival 0');
  await settled();
  expect(work.begun).toEqual(['rival 0', 'globex 0', 'acme']);
});

test('work that is aborted while it waits begins nothing and takes no slot', async () => {
  const work = startWork(createSlots({ perTenant: 1 }));
  for (const name of ['one', 'two', 'three']) void work.start('acme', 'run-1', name);
  await settled();
  work.abort('two');
  work.end('one');
  await settled();
  expect(work.begun).toEqual(['one', 'three']);
  work.end('three');
  void work.start('acme', 'run-1', 'four');
  await settled();
  expect(work.begun).toEqual(['one', 'three', 'four']);
});

test('whatever comes and goes, the limits hold, and what may begin has begun', async () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom('start', 'end', 'abort'), fc.nat(2), fc.nat(1), fc.nat(20)),
    { maxLength: 60 },
  );
  const limits = fc.record({
    perTenant: fc.integer({ min: 1, max: 4 }),
    total: fc.integer({ min: 2, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(steps, limits, async (all, { perTenant, total }) => {
      const slots = createSlots({ perTenant, total });
      const waiting = new Map<AbortController, string>();
      const working: { readonly tenant: string; readonly leave: LeaveSlot }[] = [];
      const held = (tenant: string): number => working.filter((one) => one.tenant === tenant).length;
      const start = async (tenant: string, group: string): Promise<void> => {
        const controller = new AbortController();
        waiting.set(controller, tenant);
        const leave = await slots.enter(tenant, group, controller.signal);
        waiting.delete(controller);
        if (leave) working.push({ tenant, leave });
      };
      for (const [what, tenant, group, index] of all) {
        if (what === 'start') void start(`t${tenant}`, `g${group}`);
        if (what === 'end') working.splice(index % Math.max(1, working.length), 1)[0]?.leave();
        if (what === 'abort') [...waiting.keys()][index % Math.max(1, waiting.size)]?.abort();
        await settled();
        for (const { tenant: one } of working) expect(held(one)).toBeLessThanOrEqual(perTenant);
        expect(working.length).toBeLessThanOrEqual(total);
        const free = total - working.length;
        for (const one of waiting.values()) expect(held(one) < perTenant && held(one) < free).toBe(false);
      }
    }),
  );
});

test('they are full while work waits, whoever it is of and however it ends', async () => {
  const slots = createSlots({ perTenant: 1 });
  const work = startWork(slots);
  await work.start('acme', 'r', 'first');
  expect(slots.isFull).toBe(false);
  void work.start('acme', 'r', 'second');
  void work.start('acme', 'r', 'third');
  work.abort('third');
  expect(slots.isFull).toBe(true);
  work.end('first');
  await settled();
  expect(work.begun).toEqual(['first', 'second']);
  expect(slots.isFull).toBe(false);
});
