import { describe, expect, it } from 'vitest';
import { runBounded, TookTooLong } from './watchdog.js';

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
