import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { createPaces, type Ticket } from './pace.js';

const never = new AbortController().signal;
const ORIGIN = 'https://api.example';

/** Tries to enter so many times, and says how many got in. */
function crowd(count: number, pace: ReturnType<ReturnType<typeof createPaces>>) {
  const inside: Ticket[] = [];
  for (let number = 0; number < count; number += 1) pace.enter(never).then((ticket) => inside.push(ticket));
  return inside;
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
};

describe('a pace', () => {
  it('does not hold anybody back until the provider objects', async () => {
    const inside = crowd(500, createPaces(manualClock())(ORIGIN));
    await settle();
    expect(inside).toHaveLength(500);
  });

  it('halves once for a burst of refusals, then grows by successes', async () => {
    const pace = createPaces(manualClock())(ORIGIN);
    const burst = crowd(16, pace);
    await settle();
    for (const ticket of burst) ticket.leave('limited');
    const next = crowd(100, pace);
    await settle();
    expect(next).toHaveLength(8);
    // Eight successes in a row are worth about one more place.
    for (const ticket of next.splice(0)) ticket.leave('success');
    await settle();
    expect(next).toHaveLength(8);
    for (const ticket of next.splice(0)) ticket.leave('success');
    await settle();
    expect(next).toHaveLength(9);
  });

  it('lets one in at least, however often it is refused', async () => {
    const pace = createPaces(manualClock())(ORIGIN);
    const inside = crowd(5, pace);
    for (let round = 0; round < 5; round += 1) {
      await settle();
      inside.shift()?.leave('limited');
    }
    expect(inside.length).toBe(0);
  });

  it('gives the place of one who gives up to the next', async () => {
    const pace = createPaces(manualClock())(ORIGIN);
    const [first] = await Promise.all([pace.enter(never)]);
    first?.leave('limited');
    const inside = crowd(1, pace);
    await settle();
    const impatient = new AbortController();
    const gaveUp = pace.enter(impatient.signal);
    const waiting = crowd(1, pace);
    impatient.abort('enough');
    await expect(gaveUp).rejects.toBe('enough');
    inside[0]?.leave('other');
    await settle();
    expect(waiting).toHaveLength(1);
  });

  it('heeds within a second what another process has met, and counts a burst over all of them once', async () => {
    const clock = manualClock();
    const facts = { heldForMs: 0, refusals: 0 };
    const shared = {
      read: async () => ({ ...facts }),
      hold: async (_name: string, ms: number) => {
        facts.heldForMs = ms;
      },
      refused: async (_name: string, known: number) => {
        if (known === facts.refusals) facts.refusals += 1;
        return facts.refusals;
      },
    };
    const [one, other] = [createPaces(clock, { shared })(ORIGIN), createPaces(clock, { shared })(ORIGIN)];
    const bursts = [crowd(16, one), crowd(16, other)];
    await settle();
    for (const ticket of bursts.flat()) ticket.leave('limited');
    await settle();
    expect(facts.refusals).toBe(1);
    clock.advance(1_000);
    const next = crowd(100, other);
    await settle();
    expect(next).toHaveLength(8);
    one.holdFor(5_000);
    clock.advance(1_000);
    for (const ticket of next.splice(0)) ticket.leave('success');
    await settle();
    clock.advance(1_000);
    const held = crowd(1, createPaces(clock, { shared })(ORIGIN));
    await settle();
    expect(held).toHaveLength(0);
    facts.heldForMs = 0;
    clock.advance(5_000);
    await settle();
    expect(held).toHaveLength(1);
  });

  it('holds everyone of the same origin, and nobody else', async () => {
    const clock = manualClock();
    const paces = createPaces(clock);
    paces(ORIGIN).holdFor(1_000);
    const held = crowd(3, paces(ORIGIN));
    const free = crowd(3, paces('https://other.example'));
    await settle();
    expect([held.length, free.length]).toEqual([0, 3]);
    clock.advance(1_000);
    await settle();
    expect(held).toHaveLength(3);
  });
});
