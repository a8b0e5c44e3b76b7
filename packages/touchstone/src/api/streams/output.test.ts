import { expect, it } from 'vitest';
import { createManualClock } from '../../app/testing/manual-clock.js';
import { createThreadShares } from '../../app/thread-shares.js';
import { createOutput } from './output.js';

const never = new AbortController().signal;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('a tenant makes one page at a time, and the next when the one before has found room', async () => {
  const output = createOutput({ perTenant: 10, total: 100 });
  const made: string[] = [];
  const make = (tenant: string, name: string, slow = false) =>
    output.of(tenant, slow)(async () => {
      made.push(name);
      await nextTurn();
      return slow ? undefined : 'x'.repeat(8);
    }, never);
  const first = make('rival', 'r1');
  const second = make('rival', 'r2');
  const third = make('rival', 'r3');
  void make('rival', 'slow', true);
  const other = make('acme', 'a1');
  await Promise.all([first, other]);
  await nextTurn();
  await nextTurn();
  // The second one waits for a reader; so nothing more of this tenant is made, and what others make does not wait.
  expect(made).toEqual(['r1', 'slow', 'a1', 'r2']);
  (await first)?.release();
  expect((await second)?.bytes.toString()).toBe('xxxxxxxx');
  (await second)?.release();
  await third;
  expect(made.at(-1)).toBe('r3');
});

it('a page that could not be made holds nothing, and the next one is made', async () => {
  const output = createOutput({ perTenant: 10, total: 100 });
  const make = output.of('acme');
  await expect(make(() => Promise.reject(new Error('disk')), never)).rejects.toThrow('disk');
  expect(await make(async () => undefined, never)).toBeUndefined();
  expect((await make(async () => 'page', never))?.bytes.toString()).toBe('page');
  expect(output.held.total).toBe(4);
});

it('between two long answers of a tenant everyone else gets a turn', async () => {
  const output = createOutput({ perTenant: 100_000_000, total: 100_000_000 });
  const order: string[] = [];
  const long = Buffer.alloc(1_000_000);
  const attack = Array.from({ length: 20 }, () =>
    output.of('rival')(async () => {
      order.push('rival');
      return long;
    }, never),
  );
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
    order.push('others');
  }
  await Promise.all(attack);
  expect(order.join(' ')).not.toContain('rival rival');
});

it('between the pieces of a long answer everyone else gets a turn', async () => {
  const shares = createThreadShares({ clock: createManualClock(), aheadMs: 1_000 });
  const output = createOutput({ perTenant: 100_000_000, total: 100_000_000 }, undefined, shares);
  const order: string[] = [];
  const bytes = Buffer.alloc(4_000_000, 'x');
  const sending = [0, 1].map(async () => {
    const parts: Buffer[] = [];
    for await (const piece of output.add('rival', bytes).pieces()) {
      order.push(`rival ${piece.length}`);
      parts.push(piece);
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });
  let isSent = false;
  const sent = Promise.all(sending).then(() => {
    isSent = true;
  });
  for (; !isSent; await nextTurn()) order.push('others');
  await sent;
  const inTurns = order.join(',').split('others').map(bytesIn);
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(1_500_000);
});

const bytesIn = (turn: string): number =>
  [...turn.matchAll(/rival (\d+)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
