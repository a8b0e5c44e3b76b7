import type { LanguageModelV3 } from '@ai-sdk/provider';
import { failureOf } from './call-failure.js';
import type { ModelIdentity, Question, Reply } from './model.js';
import { type CallModel, nameOf } from './network-model.js';
import { toCallOptions } from './sdk-prompt.js';
import { answerOf, gather, replyOf } from './sdk-reply.js';

/** Calls a model through a provider package, in one piece or as a stream. */
export const callThrough =
  (language: LanguageModelV3, identity: ModelIdentity, stream: boolean): CallModel =>
  async (question, signal) => {
    try {
      return await callOnce(language, identity, stream, question, signal);
    } catch (error) {
      signal.throwIfAborted();
      return failureOf(error, nameOf(identity));
    }
  };

async function callOnce(
  language: LanguageModelV3,
  identity: ModelIdentity,
  stream: boolean,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  const options = toCallOptions(question, identity.kind, signal);
  if (!stream) return replyOf(answerOf(await language.doGenerate(options)), identity);
  const streamed = await language.doStream({ ...options, includeRawChunks: true });
  return replyOf(await gather(streamed.stream), identity);
}
