import { defined, type ErrorName } from '@touchstone/protocol';
import {
  AnswerTooLarge,
  ERROR_CODE_HEADER,
  GuardRefusal,
  type HttpResult,
  retryAfterOf,
} from '../../net/index.js';

type ErrorShape = {
  readonly statusCode?: unknown;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly code?: unknown;
  readonly cause?: unknown;
};

/**
 * The result of a request that ended with an error, of the connection or of a provider package. Read by shape, because every package brings
 * its own copy of the error classes; their messages quote answers and are never used.
 */
export function failureOf(error: unknown, who: string): HttpResult {
  const causes = causesOf(error);
  const refusal = causes.find(({ statusCode }) => typeof statusCode === 'number' && !isSuccess(statusCode));
  if (refusal) return refusedBy(refusal);
  for (const cause of causes) {
    if (cause instanceof GuardRefusal) return { kind: 'refused', reason: `${who}: ${cause.message}` };
    if (cause instanceof AnswerTooLarge) return unreadable(`The answer of ${who} ${cause.message}.`);
    if (typeof cause.code === 'string') return connectionFailure(cause.code, who);
  }
  return notRead(who);
}

/** The answer came, and is not what this provider is asked for. */
export const notRead = (who: string): HttpResult =>
  unreadable(`${who} gave an answer that could not be read.`);

const MAX_CAUSES = 10;

function causesOf(error: unknown): readonly ErrorShape[] {
  const causes: ErrorShape[] = [];
  for (let next = error; typeof next === 'object' && next !== null; ) {
    const thrown = next as ErrorShape;
    if (causes.length === MAX_CAUSES) break;
    causes.push(thrown);
    next = thrown.cause;
  }
  return causes;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const refusedBy = ({ statusCode, responseHeaders = {} }: ErrorShape): HttpResult =>
  defined({
    kind: 'response',
    status: Number(statusCode),
    text: '',
    retryAfter: retryAfterOf(responseHeaders),
    errorCode: responseHeaders[ERROR_CODE_HEADER] as ErrorName | undefined,
  } as const);

function connectionFailure(code: string, who: string): HttpResult {
  if (code.startsWith('HPE_')) return unreadable(`${who} did not answer in HTTP (${code}).`);
  if (code.startsWith('ERR_INVALID'))
    return unreadable(`The question to ${who} could not be sent (${code}).`);
  return { kind: 'lost', code };
}

const unreadable = (reason: string): HttpResult => ({ kind: 'unreadable', reason });
