import { describe, expect, it } from 'vitest';
import { runBounded, TookTooLong, withinProcessorTime } from './watchdog.js';

const forEver = (): never => {
  for (;;);
};

describe('bounded work', () => {
  it('gives what the work gives, and throws what it throws', () => {
    expect(runBounded(1_000, () => 7)).toBe(7);
    expect(runBounded(1_000, () => undefined)).toBeUndefined();
    const fail = () => {
      throw new RangeError('no');
    };
    expect(() => runBounded(1_000, fail)).toThrow(RangeError);
  });

  it('that does not end is ended', () => {
    expect(() => runBounded(10, forEver)).toThrow(TookTooLong);
    expect(runBounded(1_000, () => 'as before')).toBe('as before');
  });

  it('may be inside of bounded work, whichever of the two is ended', () => {
    const outcome = runBounded(10_000, () => {
      expect(() => runBounded(10, forEver)).toThrow(TookTooLong);
      return [runBounded(1_000, () => 1), 2];
    });
    expect(outcome).toEqual([1, 2]);
    expect(() => runBounded(10, () => runBounded(10_000, forEver))).toThrow(TookTooLong);
  });
});

describe('work that is bounded by the time of the processor', () => {
  /** Each try uses so much of it, and is interrupted as long as it is given less than `needsMs` to wait. */
  const tries = (usedMs: number, needsMs: number) => {
    const given: number[] = [];
    let now = 0;
    const work = (timeoutMs: number): string => {
      given.push(timeoutMs);
      now += usedMs;
      if (timeoutMs < needsMs) throw new TookTooLong();
      return 'done';
    };
    return {
      given,
      run: (clock: () => number | undefined = () => now) => withinProcessorTime(1_000, work, clock),
    };
  };

  it('is begun anew with more time when it was interrupted before it had that much', () => {
    const { given, run } = tries(300, 3_000);
    expect(run()).toBe('done');
    expect(given).toEqual([1_000, 4_000]);
  });

  it('is too long when it has had it, and when it has waited for very long', () => {
    const long = tries(900, 3_000);
    expect(() => long.run()).toThrow(TookTooLong);
    expect(long.given).toEqual([1_000]);
    const starved = tries(1, Number.POSITIVE_INFINITY);
    expect(() => starved.run()).toThrow(TookTooLong);
    expect(starved.given).toEqual([1_000, 4_000, 16_000]);
  });

  it('is too long at once where the system does not tell', () => {
    const { given, run } = tries(1, 3_000);
    expect(() => run(() => undefined)).toThrow(TookTooLong);
    expect(given).toEqual([1_000]);
  });
});
