import { expect, test } from 'vitest';
import { loadMcpLibrary } from './library.js';
import { ConnectionLost, reasonOf } from './loss.js';

const library = await loadMcpLibrary();
const { SdkError, SdkErrorCode } = library;
const said = (code: string): Error => Object.assign(new Error('secret words'), { code });
const fetchFailed = (code: string): Error => new TypeError('fetch failed', { cause: said(code) });
const negotiation = (cause?: Error) =>
  new SdkError(SdkErrorCode.EraNegotiationFailed, 'secret words', undefined, cause && { cause });

test.each<[string, unknown, string]>([
  [
    'a refused connection',
    negotiation(fetchFailed('ECONNREFUSED')),
    'nothing listens at its address (ECONNREFUSED)',
  ],
  ['an unknown host', fetchFailed('ENOTFOUND'), 'nothing is known under its host name (ENOTFOUND)'],
  ['a connection that was cut', fetchFailed('ECONNRESET'), 'the connection ended (ECONNRESET)'],
  ['no version in common', negotiation(), 'no version of the protocol could be agreed on with it'],
  ['silence', new SdkError(SdkErrorCode.RequestTimeout, 'secret words'), 'it did not answer in time'],
  [
    'anything else of the library',
    new SdkError(SdkErrorCode.SendFailed, 'secret words'),
    'the connection ended',
  ],
  ['words of our own', new ConnectionLost('it sent too much'), 'it sent too much'],
])('%s is told in words that say what happened', (_, error, words) => {
  expect(reasonOf(error, library)).toBe(words);
});

test('an error that causes itself is looked at and left', () => {
  const error = new Error('round') as { cause?: unknown };
  error.cause = error;
  expect(reasonOf(error, library)).toBe('the connection ended');
});
