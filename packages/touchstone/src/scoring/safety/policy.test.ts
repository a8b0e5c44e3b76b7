import { isHostError } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { SAFETY_KINDS } from './kinds.js';
import { parseSafetyPolicy } from './policy.js';

function issuesOf(value: unknown, pointer?: string): readonly { pointer: string; message: string }[] {
  try {
    parseSafetyPolicy(value, pointer);
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
      issuesOf(value, '/safety')
        .map(({ pointer }) => pointer)
        .sort(),
    ).toEqual([
      '/safety/allow/domains',
      '/safety/allow/emailDomains',
      '/safety/allow/values/0',
      '/safety/allow/values/1',
      '/safety/severities/pii-email',
      '/safety/severities/pii~1mail',
      '/safety/strict',
    ]);
  });

  it('names the known kinds when it meets an unknown one', () => {
    const [issue] = issuesOf({ severities: { 'pii-mail': 'low' } });
    for (const kind of SAFETY_KINDS) expect(issue?.message).toContain(kind);
  });

  it.each([[null], [[]], ['low'], [undefined]])('that is %j is refused', (value) => {
    expect(issuesOf(value)).toHaveLength(1);
  });
});
