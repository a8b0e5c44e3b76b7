import { isHostError } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { SAFETY_KINDS } from '../../scoring/index.js';
import { parseSafetyPolicy } from './safety-policy.js';

function issuesOf(value: unknown): readonly { pointer: string; message: string }[] {
  try {
    parseSafetyPolicy(value);
  } catch (error) {
    if (isHostError(error)) return error.details?.issues as { pointer: string; message: string }[];
    throw error;
  }
  return [];
}

describe('a safety policy', () => {
  it('is read as it is written', () => {
    const policy = {
      severities: { 'pii-email': 'ignore', 'prompt-leak': 'critical' },
      allow: { emailDomains: ['acme.example'], values: ['+1 212 555 0142'], tools: ['local:refund'] },
    };
    expect(parseSafetyPolicy(policy)).toEqual(policy);
    expect(parseSafetyPolicy({})).toEqual({});
  });

  it('is refused with everything that is wrong with it, each in its place', () => {
    const value = {
      severities: { 'pii-email': 'severe', 'pii/mail': 'low' },
      allow: { emailDomains: 'acme.example', values: ['', 7], domains: [] },
      strict: true,
    };
    expect(
      issuesOf(value)
        .map(({ pointer }) => pointer)
        .sort(),
    ).toEqual([
      '/allow/domains',
      '/allow/emailDomains',
      '/allow/values/0',
      '/allow/values/1',
      '/severities/pii-email',
      '/severities/pii~1mail',
      '/strict',
    ]);
  });

  it('with thousands of unknown members is refused with a hundred of them and a count of the rest', () => {
    const members = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`m${at}`, at]));
    const issues = issuesOf(members);
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)?.message).toBe('and 8900 more');
  });

  it('names the known kinds when it meets an unknown one', () => {
    const [issue] = issuesOf({ severities: { 'pii-mail': 'low' } });
    for (const kind of SAFETY_KINDS) expect(issue?.message).toContain(kind);
  });

  it.each([[null], [[]], ['low'], [undefined]])('that is %j is refused', (value) => {
    expect(issuesOf(value)).toHaveLength(1);
  });
});
