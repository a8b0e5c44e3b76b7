import { expect, it } from 'vitest';
import { accessError, codeOf } from './postgres-errors.js';

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

it.each([
  ['EPIPE', undefined, { code: 'unavailable', details: { reason: 'unreachable' } }],
  ['ECONNRESET', undefined, { code: 'unavailable', details: { reason: 'unreachable' } }],
  ['57P01', '57P01', { code: 'unavailable', details: { reason: 'unreachable' } }],
  ['57014', '57014', { code: 'unavailable', details: { reason: 'timeout' } }],
  ['25006', '25006', { code: 'unavailable', details: { reason: 'read_only' } }],
  ['XX000', 'XX000', { code: 'internal_error' }],
  ['42P01', '42P01', { code: 'internal_error' }],
] as const)('an error with the code %s has the server code %s', (code, ofServer, error) => {
  expect(codeOf(coded(code))).toBe(ofServer);
  expect(accessError(coded(code))).toMatchObject(error);
});
