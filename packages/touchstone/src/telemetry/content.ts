import { canonicalJson, type Json } from '@touchstone/protocol';
import type { NewEvent, RecordBodies } from '@touchstone/protocol/bodies';
import { CONTENT as C } from './names.js';
import type { Attributes } from './signals.js';

/** What was said in one record, with secrets masked. It is made only where content is sent. */
export type ContentOf = {
  readonly input?: Json;
  readonly output?: Json;
  readonly instructions?: string;
  readonly tools: { readonly [callId: string]: { readonly inputs?: Json; readonly outcome?: Json } };
  /** Why each criterion was decided as it was, in the order of the rubric. */
  readonly reasons: readonly (string | undefined)[];
  readonly reason?: string;
};

/** Gathers what a record holds. The task's input stands in the suite. */
export function contentIn(
  events: readonly NewEvent[],
  bodies: RecordBodies | undefined,
  input: Json | undefined,
): ContentOf {
  const tools: { [callId: string]: { inputs?: Json; outcome?: Json } } = {};
  let output: Json | undefined;
  let instructions: string | undefined;
  for (const event of events) {
    if (event.type === 'agent.decided') output = event.payload.decision as unknown as Json;
    if (event.type === 'agent.promptResolved') instructions = event.payload.resolved;
    if (event.type === 'agent.toolCalled' && event.payload.inputs !== undefined)
      tools[event.payload.callId] = { inputs: event.payload.inputs as unknown as Json };
    if (event.type === 'agent.toolReturned' && event.payload.outcome !== undefined)
      tools[event.payload.callId] = {
        ...tools[event.payload.callId],
        outcome: event.payload.outcome as unknown as Json,
      };
  }
  return {
    tools,
    reasons: (bodies?.criteria ?? []).map(({ reason }) => reason),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(instructions !== undefined && { instructions }),
    ...(bodies?.reason !== undefined && { reason: bodies.reason }),
  };
}

export function invocationContent({ input, output, instructions }: ContentOf): Attributes {
  return {
    ...(instructions !== undefined && {
      [C.instructions]: JSON.stringify([{ type: 'text', content: instructions }]),
    }),
    ...(input !== undefined && { [C.input]: messages('user', input), ...jsonValue(C.inputValue, input) }),
    ...(output !== undefined && {
      [C.output]: messages('assistant', output),
      ...jsonValue(C.outputValue, output),
    }),
  };
}

export function toolContent({ tools }: ContentOf, callId: string): Attributes {
  const { inputs, outcome } = tools[callId] ?? {};
  return {
    ...(inputs !== undefined && { [C.toolArguments]: JSON.stringify(inputs) }),
    ...(outcome !== undefined && { [C.toolResult]: JSON.stringify(outcome) }),
  };
}

export const explanation = (reason: string | undefined): Attributes =>
  reason === undefined ? {} : { [C.explanation]: reason };

const textOf = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value));

const messages = (role: 'user' | 'assistant', value: Json): string =>
  JSON.stringify([{ role, parts: [{ type: 'text', content: textOf(value) }] }]);

const jsonValue = (name: string, value: Json): Attributes =>
  typeof value === 'string' ? {} : { [name]: JSON.stringify(value) };
