import { expect, it } from 'vitest';
import { createArrivals } from './arrivals.js';

/** Turns of the event loop, each a millisecond long, in which somebody connects or not; the answer says in which work was held up. */
function turns(...connects: readonly boolean[]): string {
  let now = 0;
  const arrivals = createArrivals(() => now);
  return connects
    .map((one) => {
      now += 1;
      if (one) arrivals.arrived();
      return arrivals.holdWork() ? 'x' : '.';
    })
    .join('');
}
const many = (count: number, one: boolean): readonly boolean[] => Array(count).fill(one);

it('work is held up while somebody connects in each turn, and goes on in the first turn without', () => {
  expect(turns(false, true, true, true, false, false)).toBe('.xxx..');
});

it('after 20 ms work goes on all the same, for nine times as long', () => {
  expect(turns(...many(400, true))).toBe(
    `${'x'.repeat(20)}${'.'.repeat(180)}${'x'.repeat(20)}${'.'.repeat(180)}`,
  );
});

it('those who leave gaps hold it up for no more than a tenth of the time', () => {
  const held = turns(...Array.from({ length: 10_000 }, (_, at) => at % 7 !== 0)).match(/x/g)?.length ?? 0;
  expect(held).toBeGreaterThan(100);
  expect(held).toBeLessThan(1_100);
});
