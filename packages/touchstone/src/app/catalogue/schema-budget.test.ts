import { describe, expect, it } from 'vitest';
import { CheckOverLimit } from '../../ports/index.js';
import { createManualClock } from '../testing/manual-clock.js';
import { inTurns, refuseSlow } from './schema-budget.js';

describe('a check of a request', () => {
  const issue = { pointer: '/agentId', message: 'It takes too long.' };

  it('that takes too long refuses the request with the reason', async () => {
    const check = refuseSlow(issue, async (): Promise<never> => {
      throw new CheckOverLimit('10 s');
    });
    await expect(check()).rejects.toMatchObject({ code: 'validation_error', details: { issues: [issue] } });
  });

  it('answers as it would, and fails as it would', async () => {
    expect(await refuseSlow(issue, (value: number) => value + 1)(1)).toBe(2);
    const broken = refuseSlow(issue, () => Promise.reject(new TypeError('no')));
    await expect(broken()).rejects.toThrow(TypeError);
  });
});

describe('taking turns', () => {
  async function* items() {
    yield* [1, 2, 3];
  }
  /** The items in their order, with a 0 wherever others had their turn. */
  async function seen(msPerItem: number): Promise<number[]> {
    const clock = createManualClock();
    const order: number[] = [];
    for await (const item of inTurns(items(), clock)) {
      order.push(item);
      setImmediate(() => order.push(0));
      void clock.advance(msPerItem);
    }
    return order;
  }

  it('lets others in after work that took long, and only then', async () => {
    expect(await seen(500)).toEqual([1, 0, 2, 0, 3, 0]);
    expect(await seen(1)).toEqual([1, 2, 3]);
  });
});
