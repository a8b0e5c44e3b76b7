import { describe, expect, it } from 'vitest';
import { createManualClock } from '../testing/manual-clock.js';
import { createCheckingTime, whileTimeLasts } from './schema-budget.js';

const issue = { pointer: '/agentId', message: 'It takes too long.' };

/** Work that takes as long as it is told. */
function start(tasks?: number) {
  const clock = createManualClock();
  const time = createCheckingTime(clock, tasks);
  const check = whileTimeLasts(time, issue, (ms: number) => {
    void clock.advance(ms);
    return ms;
  });
  return { time, check };
}

describe('the time for checking', () => {
  it('is two seconds for everything together, and what comes after is refused with the reason', () => {
    const { check } = start();
    expect([check(1_000), check(999), check(1_000)]).toEqual([1_000, 999, 1_000]);
    expect(() => check(0)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ issues: [issue] }) }),
    );
  });

  it('grows with the suite, because many quick checks are not a slow one', () => {
    const { check } = start(10_000);
    for (let second = 0; second < 10; second += 1) check(1_000);
    expect(() => check(0)).toThrow('It takes too long.');
  });

  it('is spent by work that fails as well', () => {
    const clock = createManualClock();
    const time = createCheckingTime(clock);
    const fail = () => {
      void clock.advance(2_000);
      throw new Error('no');
    };
    expect(() => time.spend(fail)).toThrow('no');
    expect(time.isOver()).toBe(true);
  });
});

describe('taking turns', () => {
  async function* pages() {
    yield [1, 2];
    yield [3];
  }
  /** The items in their order, with a 0 wherever others had their turn. */
  async function seen(msPerItem: number): Promise<number[]> {
    const { time, check } = start();
    const order: number[] = [];
    for await (const [item = 0] of time.inTurns(pages())) {
      order.push(item);
      check(msPerItem);
      setImmediate(() => order.push(0));
    }
    return order;
  }

  it('lets others in after work that took long, and only then', async () => {
    expect(await seen(500)).toEqual([1, 0, 2, 0, 3, 0]);
    expect(await seen(1)).toEqual([1, 2, 3]);
  });
});
