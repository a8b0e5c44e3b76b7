import { ago, duration, percent, quote, usd } from '@touchstone/sdk/view';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alignTexts, jsonDifferences, nearMiss } from './difference.js';
import {
  displayWidth,
  isPlain,
  printable,
  splitGraphemes,
  truncate,
  truncateMiddle,
  wrap,
  wrapWhole,
} from './text.js';

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });

describe('text on a terminal', () => {
  test('an id is cut in the middle, and never takes more room than it has', () => {
    expect(truncateMiddle('refund-window-of-new-customers', 16)).toBe('refund-w…stomers');
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(displayWidth(truncateMiddle(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('wide characters count twice, joined ones once', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('👩‍🚀')).toBe(2);
    expect(displayWidth('é')).toBe(1);
  });

  test('plain characters are counted as the segmenter would count them, in any order', () => {
    const plain = Array.from({ length: 0x2800 }, (_, code) => String.fromCharCode(code)).filter(isPlain);
    expect(plain.length).toBeGreaterThan(1_000);
    // A wide character at the end asks for the segmenter. Each plain one stands beside itself and its neighbours, and once more in reverse.
    for (const text of [
      plain.join(''),
      plain.toReversed().join(''),
      plain.map((one) => one + one).join(''),
    ]) {
      expect(displayWidth(`${text}日`)).toBe(text.length + 2);
      expect(splitGraphemes(`${text}日`)).toEqual([...text, '日']);
    }
  });

  test('a cut text never takes more room than it has, and a short one is left alone', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, width) => {
        const cut = truncate(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(width, 1));
        if (displayWidth(text) <= width) expect(cut).toBe(text);
      }),
    );
  });

  test('wrapped text keeps its words and fits', () => {
    expect(wrap('one two three incomprehensibilities', 9)).toEqual(['one two', 'three', 'incompre…']);
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 30 }), (text, width) => {
        for (const line of wrap(text, width)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('text wrapped whole fits and loses nothing', () => {
    expect(wrapWhole('three incomprehensibilities', 9)).toEqual(['three', 'incompreh', 'ensibilit', 'ies']);
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = wrapWhole(text, width);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });

  test('shares are rounded, and all and none are kept for all and none', () => {
    expect([0, 0.001, 1 / 3, 2 / 3, 0.999, 1].map(percent)).toEqual([
      '0 %',
      '1 %',
      '33 %',
      '67 %',
      '99 %',
      '100 %',
    ]);
  });

  test('no control, direction or invisible character gets through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        for (const shown of [quote(text), printable(text)]) {
          expect(shown).not.toMatch(/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029\ufeff]/u);
        }
      }),
    );
  });
});

describe('two texts side by side', () => {
  test('the caret stands under the difference, also far inside a long text', () => {
    const words = 'lorem ipsum '.repeat(5000);
    const sides = alignTexts(`${words}30 days`, `${words}14 days`, 40);
    const at = sides.marks.indexOf('^');
    expect(sides.got.slice(at, at + 2)).toBe('14');
    expect(sides.expected.slice(at, at + 2)).toBe('30');
    expect(sides.got.startsWith('…')).toBe(true);
  });

  test('every line fits', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.integer({ min: 10, max: 50 }), (expected, got, width) => {
        const sides = alignTexts(expected, got, width);
        for (const line of Object.values(sides)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('what the eye overlooks is said', () => {
    expect(nearMiss('a b', ' a  b\n')).toBe('only white space differs');
    expect(nearMiss('Yes', 'yes')).toBe('only upper and lower case differ');
    expect(nearMiss('é', 'e\u0301')).toMatch(/Unicode/);
    expect(nearMiss('a', 'b')).toBeUndefined();
  });
});

describe('two JSON values side by side', () => {
  test('differences are named by pointer', () => {
    const found = jsonDifferences(
      { a: [1, { b: 2 }], 'c/d': 1, e: 1 },
      { a: [1, { b: 3 }], e: 1, f: null },
      9,
    );
    expect(found).toEqual([
      { pointer: '/a/1/b', expected: '2', got: '3' },
      { pointer: '/c~1d', expected: '1' },
      { pointer: '/f', got: 'null' },
    ]);
  });

  test('equal values have none, whatever their key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = JSON.parse(JSON.stringify(value, (_key, part) => reversed(part)));
        expect(jsonDifferences(JSON.parse(JSON.stringify(value)), copy, 5)).toEqual([]);
      }),
    );
  });
});

const reversed = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).reverse())
    : part;

test('sums and times are short and keep what matters', () => {
  expect([0, 0.0132, 0.05, 0.00001234, 12.4].map(usd)).toEqual([
    '$0',
    '$0.0132',
    '$0.05',
    '$0.000012',
    '$12.40',
  ]);
  expect([0, 420, 1840, 12_300, 185_000, 7_800_000].map(duration)).toEqual([
    '0 ms',
    '420 ms',
    '1.8 s',
    '12 s',
    '3 min 05 s',
    '2 h 10 min',
  ]);
  expect([-5, 12_000, 200_000, 18_000_000, 180_000_000].map(ago)).toEqual([
    '0 s ago',
    '12 s ago',
    '3 min ago',
    '5 h ago',
    '2 d ago',
  ]);
});
