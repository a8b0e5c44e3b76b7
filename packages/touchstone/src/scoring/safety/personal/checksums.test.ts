import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isCodiceFiscale,
  isCpf,
  isDni,
  isLuhn,
  isMod11And10,
  isMod97,
  isNir,
  isVerhoeff,
} from './checksums.js';

const checksums = { isCodiceFiscale, isCpf, isDni, isLuhn, isMod11And10, isMod97, isNir, isVerhoeff };

// Numbers from the publications that define the schemes, or made from the placeholder numbers in common use.
const valid: [keyof typeof checksums, string][] = [
  ['isLuhn', '4111111111111111'],
  ['isLuhn', '79927398713'],
  ['isMod97', 'GB82WEST12345698765432'],
  ['isMod97', 'DE89370400440532013000'],
  ['isMod11And10', '86095742719'],
  ['isCpf', '11144477735'],
  ['isVerhoeff', '2363'],
  ['isVerhoeff', '234567890124'],
  ['isDni', '12345678Z'],
  ['isDni', 'X1234567L'],
  ['isNir', '255081416802538'],
  ['isCodiceFiscale', 'RSSMRA85T10A562S'],
];
const check = (name: keyof typeof checksums, text: string): boolean => checksums[name](text);

describe('check digits', () => {
  it.each(valid)('%s accepts %s', (name, text) => {
    expect(check(name, text)).toBe(true);
  });

  // Every scheme here promises to notice one wrong digit.
  it.each(valid)('%s notices any single wrong digit in %s', (name, text) => {
    const places = Array.from(text, (character, at) => (/\d/.test(character) ? at : -1)).filter(
      (at) => at >= 0,
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.integer({ min: 1, max: 9 }), (at, shift) => {
        const wrong = text.slice(0, at) + ((Number(text[at]) + shift) % 10) + text.slice(at + 1);
        expect(check(name, wrong)).toBe(false);
      }),
    );
  });

  it('refuse a CPF of one repeated digit although its sums are right', () => {
    expect(isCpf('11111111111')).toBe(false);
  });

  it('count the Corsican departments as numbers', () => {
    const key = (body: string) => 97 - Number(BigInt(body) % 97n);
    expect(isNir(`185022A123456${String(key('1850219123456')).padStart(2, '0')}`)).toBe(true);
  });
});
