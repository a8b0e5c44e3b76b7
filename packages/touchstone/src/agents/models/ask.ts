import type { AskModel, Clock } from '@touchstone/contract/ports';
import { onAbort } from '../abort.js';
import { createDeadlines } from '../deadlines.js';
import type { Model } from './model.js';

const DEFAULT_TIMEOUT_MS = 60_000;

/** A model that is asked single questions, at temperature 0, and answers in JSON. Waiting for a place costs no patience. */
export function createAskModel(model: Model, clock: Clock): { readonly ask: AskModel; close(): void } {
  const timeoutMs = model.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const deadlines = createDeadlines(clock, timeoutMs);
  const ask: AskModel = async ({ system, user, schema, round }, signal) => {
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
      const reply = await model.ask(
        {
          messages: [
            { role: 'system', text: system },
            { role: 'user', text: user },
          ],
          tools: [],
          returnSchema: schema,
          temperature: 0,
          repeat: round,
        },
        { signal: over.signal, effort: { attempts: 0, waitedMs: 0 }, waiting },
      );
      if (reply.kind !== 'reply') return reply;
      await reply.remember?.();
      return { kind: 'reply', text: reply.text, usage: reply.usage };
    } catch (error) {
      if (error !== TIMED_OUT) throw error;
      return { kind: 'unreachable', reason: `The model did not answer within ${timeoutMs} ms.` };
    } finally {
      stopListening();
      deadlines.stop(deadline);
    }
  };
  return {
    ask,
    close() {
      deadlines.close();
      model.close();
    },
  };
}

const TIMED_OUT = Symbol('the model took too long');
