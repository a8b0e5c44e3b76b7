import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HttpResult } from './http.js';
import { DEFAULT_RETRIES, nextTry, parseRetryAfter } from './retry.js';

const lost: HttpResult = { kind: 'lost', code: 'ECONNRESET' };
const limited = (retryAfter: string): HttpResult => ({ kind: 'response', status: 429, text: '', retryAfter });

describe('the next try', () => {
  it('comes later each time, and by chance not at the same time for all', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (made, chance) => {
          const next = nextTry(lost, { made, spentMs: 0 }, DEFAULT_RETRIES, () => chance, 0);
          const full = 500 * 2 ** (made - 1);
          expect(next).toMatchObject({ kind: 'wait', asked: false });
          expect(next.kind === 'wait' && next.ms).toBeGreaterThanOrEqual(full / 2);
          expect(next.kind === 'wait' && next.ms).toBeLessThanOrEqual(full);
        },
      ),
    );
  });

  it('does not begin after the time for tries is over', () => {
    const next = nextTry(lost, { made: 1, spentMs: 19_900 }, DEFAULT_RETRIES, () => 0, 0);
    expect(next).toMatchObject({ kind: 'give', outcome: { kind: 'unreachable' } });
  });

  it('is never hot, even when the provider asks for no wait at all', () => {
    expect(nextTry(limited('0'), { made: 9, spentMs: 99_000 }, DEFAULT_RETRIES, () => 0, 0)).toEqual({
      kind: 'wait',
      ms: 4_000,
      asked: true,
    });
  });
});

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['0.25', 250],
  ['99999999999', 3_600_000],
  ['Tue, 01 Jan 2030 00:00:05 GMT', 5_000],
  ['Tue, 01 Jan 2019 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is a wait of %j', (header, ms) => {
  expect(parseRetryAfter(header, Date.UTC(2030, 0, 1))).toBe(ms);
});
