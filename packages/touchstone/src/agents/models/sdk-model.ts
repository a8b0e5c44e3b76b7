import type { LanguageModelV3 } from '@ai-sdk/provider';
import { defined, type ErrorName } from '@touchstone/protocol';
import {
  AnswerTooLarge,
  ERROR_CODE_HEADER,
  GuardRefusal,
  type HttpResult,
  type Pace,
  type RequestBounds,
  type RequestParts,
  retryAfterOf,
  sendWithRetries,
} from '../../net/index.js';
import type { Model, ModelIdentity, ModelReply, Question, Reply } from './model.js';
import { toCallOptions } from './sdk-prompt.js';
import { answerOf, gather, replyOf } from './sdk-reply.js';

export type SdkModelParts = Omit<RequestParts, 'who'> & {
  readonly language: LanguageModelV3;
  readonly identity: ModelIdentity;
  readonly pace: Pace;
  readonly stream: boolean;
  readonly timeoutMs?: number;
  readonly close: () => void;
};

/** A model spoken to through a provider package. The package only translates; trying again and waiting are ours. */
export function createSdkModel(parts: SdkModelParts): Model {
  const { identity, timeoutMs, close } = parts;
  const who = `Model ${identity.provider}/${identity.model}`;

  async function ask(question: Question, bound: RequestBounds): Promise<ModelReply> {
    let reply: Reply | undefined;
    const send = async (): Promise<HttpResult> => {
      try {
        reply = await callOnce(parts, question, bound.signal);
        return { kind: 'response', status: 200, text: '' };
      } catch (error) {
        bound.signal.throwIfAborted();
        return failureOf(error, who);
      }
    };
    const settled = await sendWithRetries({ ...parts, who }, parts.pace, bound, send);
    if (settled.kind !== 'text') return settled;
    return reply as Reply;
  }

  return defined({ identity, ask, close, timeoutMs });
}

async function callOnce(
  { language, identity, stream }: SdkModelParts,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  const options = toCallOptions(question, identity.kind, signal);
  if (!stream) return replyOf(answerOf(await language.doGenerate(options)), identity);
  const streamed = await language.doStream({ ...options, includeRawChunks: true });
  return replyOf(await gather(streamed.stream), identity);
}

type ErrorShape = {
  readonly statusCode?: unknown;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly code?: unknown;
  readonly cause?: unknown;
};

/**
 * The result of a request whose answer a provider package turned into an error. Read by shape, because every package brings
 * its own copy of the error classes; their messages quote answers and are never used.
 */
function failureOf(error: unknown, who: string): HttpResult {
  const causes = causesOf(error);
  const refusal = causes.find(({ statusCode }) => typeof statusCode === 'number' && !isSuccess(statusCode));
  if (refusal) return refusedBy(refusal);
  for (const cause of causes) {
    if (cause instanceof GuardRefusal) return { kind: 'refused', reason: `${who}: ${cause.message}` };
    if (cause instanceof AnswerTooLarge) return unreadable(`The answer of ${who} ${cause.message}.`);
    if (typeof cause.code === 'string') return connectionFailure(cause.code, who);
  }
  return unreadable(`${who} gave an answer that could not be read.`);
}

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
