import type { LanguageModelV3 } from '@ai-sdk/provider';
import {
  type HttpResult,
  type Pace,
  type RequestBounds,
  type RequestParts,
  sendWithRetries,
} from '../../net/index.js';
import type { Model, ModelIdentity, ModelReply, Question, Reply } from './model.js';
import { toCallOptions } from './sdk-prompt.js';
import { gather, givenBy, replyOf } from './sdk-reply.js';
import { troubleOf } from './trouble.js';

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
        return troubleOf(error, who);
      }
    };
    const settled = await sendWithRetries({ ...parts, who }, parts.pace, bound, send);
    if (settled.kind === 'failed' || settled.kind === 'unreachable') return settled;
    return reply as Reply;
  }

  return { identity, ask, close, ...(timeoutMs !== undefined && { timeoutMs }) };
}

async function callOnce(
  { language, identity, stream }: SdkModelParts,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  const options = toCallOptions(question, identity.kind, signal);
  if (!stream) return replyOf(givenBy(await language.doGenerate(options)), identity);
  const streamed = await language.doStream({ ...options, includeRawChunks: true });
  return replyOf(await gather(streamed.stream), identity);
}
