import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOf } from './cost.js';

describe('the size of a value', () => {
  it('is near the length of its JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const { length } = JSON.stringify(value);
        expect(sizeOf(value)).toBeGreaterThan(length / 8 - 4);
        expect(sizeOf(value)).toBeLessThan(length * 4 + 8);
      }),
    );
  });

  it('is counted no further than it matters', () => {
    let reads = 0;
    const item = {
      get text() {
        reads += 1;
        return 'x'.repeat(100);
      },
    };
    expect(sizeOf(new Array(1_000_000).fill(item))).toBeGreaterThanOrEqual(100_000);
    expect(reads).toBeLessThan(2_000);
  });
});
