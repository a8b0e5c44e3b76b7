import type { AskModel, Clock } from '../../ports/index.js';
import type { Model } from './model.js';
import { createPatience, DEFAULT_TIMEOUT_MS } from './patience.js';

/** A model that is asked single questions, at temperature 0, and answers in JSON. */
export function createAskModel(model: Model, clock: Clock): { readonly ask: AskModel; close(): void } {
  const patience = createPatience(clock, model.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'The model');
  const ask: AskModel = ({ system, user, schema, round }, signal) =>
    patience.within(signal, async (bound) => {
      const messages = [
        { role: 'system', text: system },
        { role: 'user', text: user },
      ] as const;
      const question = { messages, tools: [], returnSchema: schema, temperature: 0, repeat: round };
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
