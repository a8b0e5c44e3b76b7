import { AnswerTooLarge, GuardRefusal, type HttpResult, retryAfterOf } from '../../net/index.js';

type Thrown = {
  readonly statusCode?: unknown;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly code?: unknown;
  readonly cause?: unknown;
};

/**
 * What became of a request whose answer a provider package threw away. Read by shape, because every package brings its
 * own copy of the error classes; their messages quote answers and are never looked at.
 */
export function troubleOf(error: unknown, who: string): HttpResult {
  const causes = causesOf(error);
  const refusal = causes.find(({ statusCode }) => typeof statusCode === 'number' && !isSuccess(statusCode));
  if (refusal) return refusedBy(refusal);
  for (const cause of causes) {
    if (cause instanceof GuardRefusal) return { kind: 'refused', reason: `${who}: ${cause.message}` };
    if (cause instanceof AnswerTooLarge) return unreadable(`The answer of ${who} ${cause.message}.`);
    if (typeof cause.code === 'string') return connectionTrouble(cause.code, who);
  }
  return unreadable(`${who} gave an answer that could not be read.`);
}

const MAX_CAUSES = 10;

function causesOf(error: unknown): readonly Thrown[] {
  const causes: Thrown[] = [];
  for (let next = error; typeof next === 'object' && next !== null; ) {
    const thrown = next as Thrown;
    if (causes.length === MAX_CAUSES) break;
    causes.push(thrown);
    next = thrown.cause;
  }
  return causes;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function refusedBy({ statusCode, responseHeaders = {} }: Thrown): HttpResult {
  const retryAfter = retryAfterOf(responseHeaders);
  return {
    kind: 'response',
    status: Number(statusCode),
    text: '',
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function connectionTrouble(code: string, who: string): HttpResult {
  if (code.startsWith('HPE_')) return unreadable(`${who} did not answer in HTTP (${code}).`);
  if (code.startsWith('ERR_INVALID'))
    return unreadable(`The question to ${who} could not be sent (${code}).`);
  return { kind: 'lost', code };
}

const unreadable = (reason: string): HttpResult => ({ kind: 'unreadable', reason });
