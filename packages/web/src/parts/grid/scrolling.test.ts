import { expect, test } from 'vitest';
import { heightOf, keepRow, scrolledBy, showRow } from './scrolling.js';

/** As much of a box as scrolling needs: the head is 32 pixels of it. */
const box = (scrollTop: number, clientHeight = 832): HTMLElement =>
  ({ scrollTop, clientHeight }) as unknown as HTMLElement;

const SHORT = { count: 1000, rowHeight: 32 };
const LONG = { count: 1_000_000, rowHeight: 32 };

test('rows lie where they are scrolled to', () => {
  expect(heightOf(SHORT)).toBe(32_000);
  expect(scrolledBy(SHORT, box(6400))).toEqual({ gone: 6400, top: 0 });
});

test('a very long list ends where its box ends, with rows of their full height', () => {
  const end = heightOf(LONG) + 32 - 832;
  const { gone, top } = scrolledBy(LONG, box(end));
  expect(heightOf(LONG)).toBe(12_800_000);
  expect(gone).toBeCloseTo(1_000_000 * 32 - 800, 3);
  expect(top + 1_000_000 * 32).toBeCloseTo(heightOf(LONG), 3);
});

test('a row is brought into sight by as little as it takes, in lists of any length', () => {
  const view = box(0);
  showRow(view, SHORT, 3);
  expect(view.scrollTop).toBe(0);
  showRow(view, SHORT, 100);
  expect(view.scrollTop).toBe(101 * 32 - 800);
  for (const index of [0, 700_000, 999_999]) {
    showRow(view, LONG, index);
    const { gone } = scrolledBy(LONG, view);
    expect(gone).toBeLessThanOrEqual(index * 32 + 0.01);
    expect(gone).toBeGreaterThanOrEqual((index + 1) * 32 - 800 - 0.01);
  }
});

test('a row that was in sight stays so when its box gets lower, one that was not is left there', () => {
  const view = box(0, 400);
  keepRow(view, SHORT, 24, 832);
  expect(view.scrollTop).toBe(25 * 32 - 368);
  const away = box(0, 400);
  keepRow(away, SHORT, 500, 832);
  expect(away.scrollTop).toBe(0);
});
