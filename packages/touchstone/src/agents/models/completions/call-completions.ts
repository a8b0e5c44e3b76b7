import { createJsonClient, type Guard } from '../../../net/index.js';
import { failureOf, notRead } from '../call-failure.js';
import type { ModelIdentity } from '../model.js';
import { type CallModel, nameOf } from '../network-model.js';
import type { ProviderSettings } from '../provider-packages.js';
import { replyOf } from '../sdk-reply.js';
import { answerIn } from './completion-answer.js';
import { requestBody } from './request-body.js';

/**
 * Calls a model that speaks OpenAI's chat protocol, without its package. The package does the same and takes several times as
 * long for it, and 0.1 s to load.
 */
export function callCompletions(
  { baseURL, apiKey, headers }: Omit<ProviderSettings, 'fetch'>,
  identity: ModelIdentity,
  maxBytes: number,
  guard?: Guard,
): { readonly call: CallModel; close(): void } {
  const who = nameOf(identity);
  const url = new URL(`${baseURL.replace(/\/$/, '')}/chat/completions`);
  const authorization = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  const client = createJsonClient({ ...authorization, ...headers }, guard, (error) => failureOf(error, who));
  const call: CallModel = async (question, signal) => {
    const body = requestBody(identity.model, question);
    const result = await client.send({ url, body, signal, maxBytes });
    if (result.kind !== 'response' || result.status < 200 || result.status > 299) return result;
    const answer = answerIn(result.text);
    return answer ? replyOf(answer, identity) : notRead(who);
  };
  return { call, close: client.close };
}
