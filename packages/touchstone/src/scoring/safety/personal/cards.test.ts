import { describe, expect, it } from 'vitest';
import { findCards } from './cards.js';

const values = (text: string) => findCards(text).map(({ value }) => value);

describe('payment cards', () => {
  it.each([
    ['4111 1111 1111 1111 12/27 123', '4111111111111111'],
    ['pay with 4111-1111-1111-1111.', '4111111111111111'],
    ['3782 822463 10005', '378282246310005'],
    ['card=5555555555554444&x', '5555555555554444'],
    ['visa 4222222222222', '4222222222222'],
  ])('are found in %s', (text, value) => {
    expect(values(text)).toEqual([value]);
  });

  it.each([
    ['a wrong check digit', '4111 1111 1111 1112'],
    ['no known issuer', '1234567812345670'],
    ['part of a longer number', '41111111111111110'],
    ['part of a longer row', '4111 1111 1111 1111 2222'],
    ['decimals', '0.4111111111111111'],
    ['an order number', 'order no. 4111111111111111'],
    ['a barcode', '4222222222222'],
    ['mixed separators', '4111-1111 1111-1111'],
    ['an id with a prefix', 'REQ-4111111111111111'],
  ])('are not seen in %s', (_what, text) => {
    expect(values(text)).toEqual([]);
  });
});
