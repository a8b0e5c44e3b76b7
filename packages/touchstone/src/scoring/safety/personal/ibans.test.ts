import { describe, expect, it } from 'vitest';
import { findIbans } from './ibans.js';

const values = (text: string) => findIbans(text).map(({ value }) => value);

describe('bank accounts', () => {
  it.each([
    ['DE89370400440532013000'],
    ['DE89 3704 0044 0532 0130 00 and so on'],
    ['de89-3704-0044-0532-0130-00'],
  ])('are found in %s, whatever follows', (text) => {
    expect(values(text)).toEqual(['DE89370400440532013000']);
  });

  it.each([
    ['a wrong check digit', 'DE88370400440532013000'],
    ['too few characters', 'DE8937040044053201300'],
    ['too many characters', 'DE893704004405320130001'],
    ['an unknown country', 'XX89370400440532013000'],
    ['gaps of more than one space', 'DE89  3704 0044 0532 0130 00'],
  ])('are not seen with %s', (_what, text) => {
    expect(values(text)).toEqual([]);
  });
});
