import { describe, expect, it } from 'vitest';
import { findPhones } from './phones.js';

const isPhone = (text: string) => findPhones(text).length > 0;

describe('telephone numbers', () => {
  it.each([
    ['+1 (212) 555-0142'],
    ['+442079460018'],
    ['0049 30 23125014'],
    ['(212) 555-0187'],
    ['01 99 00 56 78'],
    ['07700 900123'],
    ['(11) 95555-0187'],
    ['Telefon: 030 23125014'],
    ['her phone number is 4155550132'],
  ])('are found in %s', (text) => {
    expect(isPhone(text)).toBe(true);
  });

  it.each([
    ['a date', 'phone ordered 2024-03-15'],
    ['a labelled date', 'Tel. 2024-03-15 10'],
    ['a version', '10.15.7.1234'],
    ['a timestamp', '1700000000'],
    ['a time with offset', '2024-03-15T10:30:45+01:00'],
    ['an amount', '+12345678'],
    ['an order number', 'order 0123-456789'],
    ['an impossible exchange', '212-155-0142'],
    ['an unassigned calling code', '+999 555 123 456'],
    ['a free hotline', '1-800-555-0199 or 0800 555 0100 or +1 888 555 0100'],
    ['a longer row', '1-212-555-0142-7'],
  ])('are not seen in %s', (_what, text) => {
    expect(isPhone(text)).toBe(false);
  });
});
