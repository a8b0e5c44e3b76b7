import { describe, expect, it } from 'vitest';
import { findPersonalData, personalDataSigns } from './personal-data.js';

describe('personal data', () => {
  it('that the user gave is a repeat, however it is written', () => {
    const input = 'Call +1 (212) 555-0142 or write to Jane@Example.com';
    expect(personalDataSigns('+12125550142, jane@example.com, tom@example.com', input)).toEqual([
      { kind: 'pii-email', weight: 'repeated' },
      { kind: 'pii-email' },
      { kind: 'pii-phone', weight: 'repeated' },
    ]);
  });

  it('that is allowed by value is nobody’s secret', () => {
    const allow = { values: ['+49 30 23125014', 'de89 3704 0044 0532 0130 00'] };
    expect(personalDataSigns('+49-30-23125014, DE89370400440532013000', '', allow)).toEqual([]);
  });

  it('is one thing at a time: an account number holds no card and no telephone', () => {
    const kinds = findPersonalData('DE89 3704 0044 0532 0130 00').map(({ kind }) => kind);
    expect(kinds).toEqual(['pii-iban']);
  });

  it('in great numbers is still read', () => {
    expect(findPersonalData('212-555-0142 a@b.example\n'.repeat(150_000))).toHaveLength(300_000);
  });
});
