import { describe, expect, it } from 'vitest';
import { findEmails } from './emails.js';

const count = (text: string, domains?: readonly string[]) => findEmails(text, domains).length;

describe('e-mail addresses', () => {
  it.each([
    ['jane@example.com.'],
    ['<j.o+x@a.b.example>'],
    ['mailto:x@y.example'],
    ['jürgen@müller.example'],
  ])('are found in %s', (text) => {
    expect(count(text)).toBe(1);
  });

  it.each([
    ['support@example.com'],
    ['No-Reply@example.com'],
    ['git@github.com:org/repo'],
    ['logo@2x.png'],
    ['pkg@1.2.3.tgz'],
    ['user@localhost'],
    ['https://jane@host.example/'],
    ['postgres://app:x1@db.example/'],
  ])('are not seen in %s', (text) => {
    expect(count(text)).toBe(0);
  });

  it('in the query of a URL are addresses like any other', () => {
    expect(count('https://host.example/?u=jane@example.com')).toBe(1);
  });

  it('at an allowed domain or below it are allowed, and nowhere else', () => {
    const text = 'a@acme.example b@eu.acme.example c@notacme.example d@acme.example.org';
    expect(findEmails(text, ['Acme.example']).map(({ value }) => value[0])).toEqual(['C', 'D']);
  });
});
