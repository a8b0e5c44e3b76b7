import type { ModelParameters } from '@touchstone/protocol';
import { createDeadlines, onAbort, type RequestBounds } from '../../net/index.js';
import type { AskModel, Clock } from '../../ports/index.js';
import type { Model } from './model.js';

export const DEFAULT_TIMEOUT_MS = 60_000;

type Unreachable = { readonly kind: 'unreachable'; readonly reason: string };

export type Patience = {
  /** Work that is abandoned when it takes too long. Waiting for a place at the provider does not count. */
  within<T>(signal: AbortSignal, work: (bounds: RequestBounds) => Promise<T>): Promise<T | Unreachable>;
  close(): void;
};

const TIMED_OUT = Symbol('it took too long');

/** `who` is the subject of the reason. */
export function createPatience(clock: Clock, timeoutMs: number, who: string): Patience {
  const deadlines = createDeadlines(clock, timeoutMs);
  return {
    async within(signal, work) {
      signal.throwIfAborted();
      const over = new AbortController();
      const stopListening = onAbort(signal, () => over.abort(signal.reason));
      const deadline = deadlines.start(() => over.abort(TIMED_OUT));
      const waiting = async <T>(wait: () => Promise<T>): Promise<T> => {
        const resume = deadlines.pause(deadline);
        try {
          return await wait();
        } finally {
          resume();
        }
      };
      try {
        return await work({ signal: over.signal, effort: { attempts: 0, waitedMs: 0 }, waiting });
      } catch (error) {
        if (error !== TIMED_OUT) throw error;
        return { kind: 'unreachable', reason: `${who} did not answer within ${timeoutMs} ms.` };
      } finally {
        stopListening();
        deadlines.stop(deadline);
      }
    },
    close: deadlines.close,
  };
}

/** A model that is asked single questions and answers in JSON, at temperature 0 unless the parameters say otherwise. */
export function createAskModel(
  model: Model,
  clock: Clock,
  parameters: ModelParameters = { temperature: 0 },
): { readonly ask: AskModel; close(): void } {
  const patience = createPatience(clock, model.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'The model');
  const ask: AskModel = ({ system, user, schema, round }, signal) =>
    patience.within(signal, async (bound) => {
      const messages = [
        { role: 'system', text: system },
        { role: 'user', text: user },
      ] as const;
      const question = { messages, tools: [], returnSchema: schema, ...parameters, repeat: round };
      const reply = await model.ask(question, bound);
      if (reply.kind !== 'reply') return reply;
      await reply.remember?.();
      return { kind: 'reply', text: reply.text, usage: reply.usage };
    });
  return {
    ask,
    close() {
      patience.close();
      model.close();
    },
  };
}
