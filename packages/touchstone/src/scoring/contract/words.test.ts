import type { LengthBound } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsFolded, foldedWords, lengthIn, sameFolded, wordOverlap } from './words.js';

describe('folding', () => {
  it.each<[string, string, boolean, string]>([
    ['The Eiffel Tower!', 'eiffel  tower', true, 'case, articles, punctuation and white space'],
    ['state-of-the-art', 'state of the art', true, 'hyphens part words'],
    ["don't", 'dont', true, 'apostrophes do not'],
    ['U.S.', 'US', true, 'nor do full stops'],
    ['caf\u00e9', 'cafe\u0301', true, 'one letter written in two ways'],
    ['caf\u00e9', 'cafe', false, 'an accent is part of its letter'],
    ['１２', '12', true, 'digits of another width'],
    ['1,000', '1000', true, 'thousands are grouped or not'],
    ['1,2', '12', false, 'but a list is no number'],
    ['1.5', '15', false, 'a decimal point makes another number'],
    ['-5', '5', false, 'so does a sign'],
    ['\u22125', '-5', true, 'however it is written'],
    ['5%', '5', false, 'and so does per cent'],
    ['10-5', '10 5', true, 'a range is no sign'],
    ['A', 'The', false, 'an article alone is an answer'],
    ['Option A', 'option', false, 'also at the end'],
    ['$5', '5', false, 'a currency is no punctuation'],
    ['!!!', '...', false, 'what folds away altogether is compared as it is'],
    ['', '', true, 'nothing is nothing'],
    [' ', '', true, 'white space too'],
    ['', '!', false, 'but a mark is something'],
    ['東京。', '東京', true, 'punctuation of every script'],
    ['ПРИВЕТ', 'привет', true, 'and case of every script'],
  ])('%j and %j: %s (%s)', (a, b, same) => {
    expect(sameFolded(a, b)).toBe(same);
    expect(sameFolded(b, a)).toBe(same);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aTe1٢.,-%\'"é ß東\n') }), (text) => {
        const once = foldedWords(text).join(' ');
        // An article may only come to stand in front of something once others are gone.
        fc.pre(!/(^| )(a|an|the)( |$)/.test(once));
        expect(foldedWords(once).join(' ')).toBe(once);
      }),
    );
  });

  it.each<[string, string, boolean]>([
    ['It is the Eiffel Tower, of course.', 'Eiffel tower', true],
    ['It is Eiffeltower', 'eiffel tower', false],
    ['concatenate', 'cat', false],
    ['a cat', 'Cat!', true],
    ['what?!', '?!', true],
    ['what', '?!', false],
    ['首都は東京です', '東京。', true],
  ])('finds in %j the words of %j: %s', (text, part, found) => {
    expect(containsFolded(text, part)).toBe(found);
  });
});

describe('the overlap of words', () => {
  it.each<[string, string, number]>([
    ['the cat sat', 'cat sat', 1],
    ['cat sat mat', 'cat sat', 0.8],
    ['cat cat', 'cat', 2 / 3],
    ['dog', 'cat', 0],
    ['', 'cat', 0],
    ['', '', 1],
    ['...', '!', 0],
  ])('of %j and %j is %d', (a, b, degree) => {
    expect(wordOverlap(a, b)).toBeCloseTo(degree, 12);
    expect(wordOverlap(b, a)).toBe(wordOverlap(a, b));
  });

  it('is from 0 to 1, and 1 of a text with itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const degree = wordOverlap(a, b);
        expect(degree).toBeGreaterThanOrEqual(0);
        expect(degree).toBeLessThanOrEqual(1);
        expect(wordOverlap(a, a)).toBe(1);
      }),
    );
  });
});

describe('length', () => {
  // How many there are is for the dictionary of the runtime to say, and may change with it.
  it('finds words where a script writes no spaces', () => {
    expect(lengthIn('words', '我喜欢吃苹果')).toBeGreaterThan(1);
    expect(lengthIn('words', '我 cat')).toBe(2);
    const near = wordOverlap('東京は首都です', '京都は首都です');
    expect(near).toBeGreaterThan(0);
    expect(near).toBeLessThan(1);
  });

  it.each<[LengthBound['unit'], string, number]>([
    ['words', '', 0],
    ['words', ' one\ttwo\n three ', 3],
    ['words', 'state-of-the-art, don’t', 2],
    ['words', 'this – that', 2],
    ['words', '🙂 🙂', 0],
    ['characters', '👍🏽é', 3],
    ['characters', '', 0],
    ['lines', '', 0],
    ['lines', '\n a \r\n\nb\n\n', 3],
    ['lines', 'a\u2028b', 2],
    ['sentences', '', 0],
    ['sentences', 'One. Two! Three? Four', 4],
    ['sentences', 'Dr. Smith paid 3.14 dollars, e.g. today.', 1],
    ['sentences', 'Some fruit, e.g.  apples.', 1],
    ['sentences', `${'.'.repeat(50_000)}${'"'.repeat(200_000)} x`, 1],
    ['sentences', 'He said "Go." She went.', 2],
    ['sentences', '你好。再见！', 2],
    ['sentences', '1. Open it.\n2. Close it.', 2],
    ['sentences', '- open\n- close', 2],
    ['sentences', 'Wait... what?', 1],
    ['sentences', '42', 1],
    ['sentences', '!?', 0],
  ])('in %s of %j is %d', (unit, text, length) => {
    expect(lengthIn(unit, text)).toBe(length);
  });

  it('in words of a long text in a script without spaces takes memory that grows with the text and no faster', () => {
    expect(lengthIn('words', '你好'.repeat(200_000))).toBe(200_000);
  });
});
