import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable, printableExcept, printableLines, quote } from './printable.js';

const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/u;
const EMOJI_STYLE = /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu;

describe('a text that people are shown', () => {
  test('holds no control, direction, tag or other invisible character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        for (const shown of [quote(text), printable(text)]) {
          expect(shown.replace(EMOJI_STYLE, '')).not.toMatch(HIDDEN);
        }
      }),
    );
  });

  test.each([
    ['an escape', '\u001b[2J', '\\u001b[2J'],
    ['an escape of eight bits', '\u009b2J', '\\u009b2J'],
    ['the Arabic letter mark', 'a\u061cb', 'a\\u061cb'],
    ['an override of the direction', '\u202egnp.exe', '\\u202egnp.exe'],
    ['tag characters', 'hi\u{e0041}\u{e0042}', 'hi\\udb40\\udc41\\udb40\\udc42'],
    ['selectors that carry bytes', 'hi\ufe00\u{e0101}', 'hi\\ufe00\\udb40\\udd01'],
    ['more than one selector of an emoji', '❤\ufe0f\ufe0f', '❤\ufe0f\\ufe0f'],
    ['a Hangul filler', 'a\u3164b', 'a\\u3164b'],
    ['the marks of an annotation', 'a\ufff9b\ufffbc', 'a\\ufff9b\\ufffbc'],
    ['half a character', 'a\ud800b', 'a\\ud800b'],
    ['lines', 'a\r\nb', 'a\\r\\nb'],
  ])('%s is made visible', (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('of any language stays as it is, emoji included', () => {
    for (const text of ['naïve “quotes” \\ "', '漢字かな', 'Ελλάδα', 'שלום', 'مرحبا', '❤️ 👍🏽 1️⃣'])
      expect(printable(text)).toBe(text);
  });

  test('keeps what its reader can deal with', () => {
    expect(printableLines('a\tb\nc\rd\u001b')).toBe('a\tb\nc\\rd\\u001b');
    expect(printableExcept('\r')('a\r\n')).toBe('a\r\\n');
  });

  test('is the same document, when it is JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(JSON.parse(printableLines(JSON.stringify(value, null, 2)))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });
});
