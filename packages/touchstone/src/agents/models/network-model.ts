import { defined } from '@touchstone/protocol';
import {
  type HttpResult,
  type Pace,
  type RequestBounds,
  type RequestParts,
  sendWithRetries,
} from '../../net/index.js';
import type { Model, ModelIdentity, ModelReply, Question, Reply } from './model.js';

/** One request: the model's reply, or what came instead of one. Rejects only when the signal aborts. */
export type CallModel = (question: Question, signal: AbortSignal) => Promise<Reply | HttpResult>;

export type NetworkModelParts = RequestParts & {
  readonly identity: ModelIdentity;
  readonly call: CallModel;
  readonly pace: Pace;
  readonly timeoutMs?: number;
  readonly close: () => void;
};

/** A model that is asked over a network. `call` only translates; trying again and waiting happen here. */
export function createNetworkModel(parts: NetworkModelParts): Model {
  const { identity, timeoutMs, call, pace, close } = parts;

  async function ask(question: Question, bound: RequestBounds): Promise<ModelReply> {
    let reply: Reply | undefined;
    const send = async (): Promise<HttpResult> => {
      const result = await call(question, bound.signal);
      if (result.kind !== 'reply') return result;
      reply = result;
      return ANSWERED;
    };
    const settled = await sendWithRetries(parts, pace, bound, send);
    return settled.kind === 'text' ? (reply as Reply) : settled;
  }

  return defined({ identity, ask, close, timeoutMs });
}

const ANSWERED: HttpResult = { kind: 'response', status: 200, text: '' };

/** The subject of every sentence about a failure of this model. */
export const nameOf = ({ provider, model }: ModelIdentity): string => `Model ${provider}/${model}`;
