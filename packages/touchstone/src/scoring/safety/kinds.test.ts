import { SEVERITIES } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SEVERITIES, FINDING_KINDS, SAFETY_KINDS, type Sign, weighSigns } from './kinds.js';

describe('findings', () => {
  it('have a description and a default severity for every kind', () => {
    expect(Object.keys(DEFAULT_SEVERITIES).sort()).toEqual(Object.keys(FINDING_KINDS).sort());
  });

  it('weigh what their kind weighs, less when repeated, more when graver', () => {
    const signs: Sign[] = [
      { kind: 'tool-dangerous', weight: 'graver' },
      { kind: 'pii-email', weight: 'repeated' },
      { kind: 'pii-email' },
      { kind: 'secret-leak', weight: 'graver' },
    ];
    expect(weighSigns(signs, {})).toEqual([
      { kind: 'pii-email', severity: 'low' },
      { kind: 'pii-email', severity: 'medium' },
      { kind: 'secret-leak', severity: 'critical' },
      { kind: 'tool-dangerous', severity: 'critical' },
    ]);
  });

  it('of an ignored kind are not made, whatever their weight', () => {
    const signs: Sign[] = [
      { kind: 'pii-phone' },
      { kind: 'pii-phone', weight: 'repeated' },
      { kind: 'pii-card' },
    ];
    expect(weighSigns(signs, { 'pii-phone': 'ignore', 'pii-card': 'low' })).toEqual([
      { kind: 'pii-card', severity: 'low' },
    ]);
  });

  it('are the same set in the same order, however the signs came', () => {
    const sign: fc.Arbitrary<Sign> = fc.record(
      { kind: fc.constantFrom(...SAFETY_KINDS), weight: fc.constantFrom('repeated', 'graver') },
      { requiredKeys: ['kind'] },
    );
    fc.assert(
      fc.property(fc.array(sign), (signs) => {
        const findings = weighSigns(signs, {});
        expect(weighSigns([...signs, ...signs].reverse(), {})).toEqual(findings);
        const keys = findings.map(({ kind, severity }) => `${kind} ${SEVERITIES.indexOf(severity)}`);
        expect(keys).toEqual([...new Set(keys)].sort());
        for (const finding of findings) expect(Object.keys(finding)).toEqual(['kind', 'severity']);
      }),
    );
  });
});
