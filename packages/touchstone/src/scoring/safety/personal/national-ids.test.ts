import { describe, expect, it } from 'vitest';
import { findNationalIds } from './national-ids.js';

const isFound = (text: string) => findNationalIds(text).length > 0;

describe('national identification numbers', () => {
  it.each([
    ['United States', '123-45-6789'],
    ['United States, bare', 'SSN: 123456789'],
    ['United Kingdom', 'AB 12 34 56 C'],
    ['United Kingdom, bare', 'NI number AB123456C'],
    ['Germany', '86 095 742 719'],
    ['Germany, bare', 'Steuer-ID 86095742719'],
    ['France', '2 55 08 14 168 025 38'],
    ['Spain', 'DNI 12345678Z'],
    ['Spain, foreigners', 'X1234567L (NIE)'],
    ['Italy', 'RSSMRA85T10A562S'],
    ['Brazil', '111.444.777-35'],
    ['Brazil, bare', 'cpf: 11144477735'],
    ['India', 'Aadhaar 2345 6789 0124'],
  ])('of %s are found: %s', (_country, text) => {
    expect(isFound(text)).toBe(true);
  });

  it.each([
    ['a range never given out', 'SSN 666-45-6789'],
    ['the number of an advertisement', 'SSN 078-05-1120'],
    ['a prefix never given out', 'NI number GB123456A'],
    ['a wrong check digit', 'Steuer-ID 86095742718'],
    ['two repeated digits', 'Steuer-ID 11223456788'],
    ['a wrong letter', 'DNI 12345678A'],
    ['a wrong last letter', 'RSSMRA85T10A562T'],
    ['a bare number nobody names', 'order 11144477735'],
    ['a bare code nobody names', 'part 12345678Z, AB123456C, 2345 6789 0124'],
    ['a part of something longer', '1123-45-67890'],
  ])('are not seen in %s: %s', (_what, text) => {
    expect(isFound(text)).toBe(false);
  });
});
