import type { Json } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBody, unifyCharacters } from './text.js';

const full = (value: Json) => readBody(toBody(value)).full;
const words = 'a sentence that somebody wrote';

describe('reading a body', () => {
  it('puts every scalar beside its key', () => {
    expect(full({ a: [1, { b: 'two' }], c: null })).toBe('a: 1\nb: two\nc: null');
  });

  it('reads JSON in a string both ways', () => {
    expect(full('{"key":"one\\ntwo"}')).toContain('key: one\ntwo');
    expect(full('{"key":')).toBe('{"key":');
  });

  it.each([
    ['base64', Buffer.from(words).toString('base64')],
    ['base64url', Buffer.from(words).toString('base64url')],
    ['hex', Buffer.from(words).toString('hex')],
    ['percent', words.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)],
  ])('decodes %s once', (_name, encoded) => {
    expect(full(`see ${encoded} here`)).toContain(words);
  });

  it('does not decode twice, nor what is not text', () => {
    const twice = Buffer.from(Buffer.from(words).toString('base64')).toString('base64');
    expect(full(twice)).not.toContain(words);
    const hash = '9fceb02d0ae598e95dc970b74767f19372d61af8';
    expect(full(hash)).toBe(hash);
  });

  it('gives look-alikes one spelling', () => {
    expect(unifyCharacters('４１\u00a0‑\u200b“x”’')).toBe('41 -"x"\'');
  });

  it('finds any text that was encoded in any surroundings', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abcdefgh ,.ÄÖ'), minLength: 16, maxLength: 60 });
    fc.assert(
      fc.property(text, fc.constantFrom('base64', 'hex', 'base64url'), (secret, encoding) => {
        const encoded = Buffer.from(secret).toString(encoding as BufferEncoding);
        expect(full({ note: `(${encoded})` })).toContain(secret);
      }),
    );
  });
});
