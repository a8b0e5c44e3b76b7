import { wordsOf } from '@touchstone/sdk/view';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createInk, displayWidth } from './text.js';
import { MOST_LINES, renderTextDiff } from './text-diff.js';

const look = { ink: createInk(false), width: 80, rows: 40 };
const diff = (before: string, after: string, rows = look.rows): string =>
  renderTextDiff(before, after, { ...look, rows }).join('\n');

describe('the difference of two answers', () => {
  test('on one line is told word by word', () => {
    expect(diff('The window is 30 days from delivery.', 'The window is 14 days from delivery.')).toBe(
      '      The window is [-30-] {+14+} days from delivery.',
    );
  });

  test('with little in common is told line by line', () => {
    expect(diff('Yes, of course.', 'I cannot help with that.')).toBe(
      '      - Yes, of course.\n      + I cannot help with that.',
    );
  });

  test('of several lines shows a little of what is around it', () => {
    const text = (line: string): string =>
      ['one', 'two', 'three', 'four', line, 'six', 'seven', 'eight', 'nine'].join('\n');
    expect(diff(text('five'), text('5'))).toMatchInlineSnapshot(`
      "      … 2 lines as before
              three
              four
            - five
            + 5
              six
              seven
            … 2 lines as before"
    `);
  });

  test('names what the eye would miss', () => {
    expect(diff('a b', 'a  b')).toContain('only white space differs');
    expect(diff('same', 'same')).toContain('the answers are the same');
  });

  test('that begins late in a long text is found, and what is cut is counted', () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`);
    const changed = lines.map((line, at) => (at < 500 ? line : `${line}!`));
    const shown = diff(lines.join('\n'), changed.join('\n'), 10);
    expect(shown).toContain('… 498 lines as before');
    expect(shown).toContain('- line 500');
    // 389 of the 399 lines found, and the 302 of either text that were not looked at.
    expect(shown.split('\n').slice(10)).toEqual(['      … 691 more lines']);
  });

  test('within one very long line is shown where it is', () => {
    const shown = diff(`${'x'.repeat(100_000)} 30 days`, `${'x'.repeat(100_000)} 14 days`);
    expect(shown).toContain('30 days');
    expect(shown).toContain('14 days');
    expect(shown.length).toBeLessThan(400);
  });

  test('never writes a control character, fills the width at most, and ends', () => {
    const piece = fc.constantFrom('a', 'bb', ' ', '\n', '\t', '\u001b[2J', '\u202e', '漢字', 'x'.repeat(90));
    const text = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = renderTextDiff(before, after, look);
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
          expect(displayWidth(line)).toBeLessThanOrEqual(look.width);
        }
        expect(lines.length).toBeLessThanOrEqual(look.rows + 2);
      }),
    );
  });

  test('of two texts without end looks at so many lines of each and no more', () => {
    const huge = (mark: string): string =>
      Array.from({ length: 50_000 }, (_, at) => `${mark} ${at}`).join('\n');
    const lines = renderTextDiff(huge('a'), huge('b'), { ...look, rows: Number.POSITIVE_INFINITY });
    expect(lines).toHaveLength(2 * MOST_LINES + 1);
    expect(lines.at(-1)).toContain('… 49,800 more lines');
  });

  test('splits a text into words without losing any of it', () => {
    fc.assert(fc.property(fc.string(), (text) => wordsOf(text).join('') === text));
  });
});
