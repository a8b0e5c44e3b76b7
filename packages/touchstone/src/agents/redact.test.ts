import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from './redact.js';

describe('redaction', () => {
  it('replaces every occurrence by the name of the secret', () => {
    const secrets = [{ id: 'db', value: 'hunter2hunter2' }];
    expect(redactSecrets('a hunter2hunter2 b hunter2hunter2', secrets)).toBe(
      'a [REDACTED:db] b [REDACTED:db]',
    );
  });

  it('takes the longest first, so that nothing of it is left over', () => {
    const secrets = [
      { id: 'short', value: 'password' },
      { id: 'long', value: 'password-and-more' },
    ];
    expect(redactSecrets('password-and-more password', secrets)).toBe('[REDACTED:long] [REDACTED:short]');
  });

  it('leaves short values and its own marks alone', () => {
    const secrets = [
      { id: 'short', value: 'hunter2' },
      { id: 'mark', value: 'REDACTED' },
      { id: 'long', value: 'a-longer-secret' },
    ];
    expect(redactSecrets('hunter2 a-longer-secret', secrets)).toBe('hunter2 [REDACTED:long]');
  });

  it('leaves no secret in any text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 8, maxLength: 12 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 200 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 5 }), text, text, (values, before, after) => {
        const secrets = values.map((value, index) => ({ id: String(index), value }));
        const redacted = redactSecrets(before + values.join('') + after, secrets);
        for (const value of values) expect(redacted).not.toContain(value);
      }),
    );
  });
});
