import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import type { TestClock } from './givens.js';

const NAME = 'acme https://api.example';
const LIMITS = { perMinute: 60, atOnce: 6 };

/** Rates that processes share. */
export function pacesCases(open: () => Promise<Store>, clockOf: () => TestClock): void {
  it('a longer hold outlasts a shorter one, of its name alone', async () => {
    const { paces } = await open();
    expect(await paces.read(NAME)).toEqual({ heldForMs: 0, refusals: 0 });
    await paces.hold(NAME, 5_000);
    await paces.hold(NAME, 1_000);
    expect(await paces.read(NAME)).toEqual({ heldForMs: 5_000, refusals: 0 });
    expect(await paces.read('globex https://api.example')).toEqual({ heldForMs: 0, refusals: 0 });
    clockOf().move(5_000);
    expect(await paces.read(NAME)).toEqual({ heldForMs: 0, refusals: 0 });
  });

  it('refusals of all who knew the same number count once', async () => {
    const { paces } = await open();
    expect(await Promise.all([0, 0, 0].map((known) => paces.refused(NAME, known)))).toEqual([1, 1, 1]);
    expect(await paces.refused(NAME, 1)).toBe(2);
    await paces.hold(NAME, 10);
    expect((await paces.read(NAME)).refusals).toBe(2);
  });

  it('a bucket gives what it holds, then what comes in, and says how long until there is one', async () => {
    const { paces } = await open();
    const clock = clockOf();
    expect(await paces.take(NAME, LIMITS, 4)).toEqual({ taken: 4, waitMs: 0 });
    expect(await paces.take(NAME, LIMITS, 4)).toEqual({ taken: 2, waitMs: 0 });
    expect(await paces.take(NAME, LIMITS, 4)).toEqual({ taken: 0, waitMs: 1_000 });
    clock.move(500);
    expect(await paces.take(NAME, LIMITS, 1)).toEqual({ taken: 0, waitMs: 500 });
    clock.move(500);
    expect(await paces.take(NAME, LIMITS, 1)).toEqual({ taken: 1, waitMs: 0 });
    clock.move(3_600_000);
    expect(await paces.take(NAME, LIMITS, 100)).toEqual({ taken: 6, waitMs: 0 });
  });

  it('many who take at once get no more than there is', async () => {
    const { paces } = await open();
    const taken = await Promise.all(Array.from({ length: 20 }, () => paces.take(NAME, LIMITS, 1)));
    expect(taken.reduce((sum, one) => sum + one.taken, 0)).toBe(6);
  });

  it('what was not used for long is forgotten, and what is held is not', async () => {
    const { paces } = await open();
    await paces.refused('old', 0);
    await paces.hold('held', 100 * 3_600_000);
    clockOf().move(2 * 3_600_000);
    await paces.refused('new', 0);
    await paces.sweep();
    const refusals = await Promise.all(['old', 'new'].map(async (name) => (await paces.read(name)).refusals));
    expect(refusals).toEqual([0, 1]);
    expect((await paces.read('held')).heldForMs).toBeGreaterThan(0);
  });
}
