import { expect, test } from 'vitest';
import { webhookBody } from '../vendor/webhooks.js';
import { closed, mapOf, text } from './build.js';
import { parseAs, schemaIssues } from './check.js';

const refusalOf = (body: unknown) => {
  try {
    return parseAs(closed({ url: text() }), body);
  } catch (error) {
    return error;
  }
};

test('the field of a refusal is the member it is about, also one that lacks, or the body', () => {
  expect(refusalOf({ url: 1 })).toMatchObject({ details: { field: 'url' } });
  expect(refusalOf({})).toMatchObject({ details: { field: 'url', issues: [{ pointer: '/url' }] } });
  expect(refusalOf([])).toMatchObject({ details: { field: 'body', issues: [{ pointer: '' }] } });
  expect(refusalOf({ url: '', '': 1 })).toMatchObject({
    details: { field: 'body', issues: [{ pointer: '/' }] },
  });
});

test('a member that a program sets to undefined is as good as absent', () => {
  const schema = closed({}, { roles: mapOf(text()) });
  expect(schemaIssues(schema, { roles: undefined })).toEqual([]);
  expect(schemaIssues(schema, { roles: { viewer: undefined } })).toEqual([]);
});

test('a value that does not match a pattern is refused in words', () => {
  const body = { url: 'https://hooks.example.com/', events: ['run.completed'], secret: 'short' };
  expect(schemaIssues(webhookBody, body)).toEqual([
    { pointer: '/secret', message: 'expected 32 to 256 printable ASCII characters; got another string' },
  ]);
});
