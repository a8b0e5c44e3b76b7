// What is sent and read here without the provider package, held against the package itself.
import { asId, type JsonObject, type ModelName } from '@touchstone/protocol';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Message, ModelIdentity, Question, ReplyPart } from '../model.js';
import { PROVIDER_PACKAGES } from '../provider-packages.js';
import { callThrough } from '../sdk-call.js';
import { replyOf } from '../sdk-reply.js';
import { answerIn } from './completion-answer.js';
import { requestBody } from './request-body.js';

const IDENTITY: ModelIdentity = {
  kind: 'openai-compatible',
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('small-1'),
};
const never = new AbortController().signal;
let load: Awaited<ReturnType<(typeof PROVIDER_PACKAGES)['openai-compatible']['load']>>;

beforeAll(async () => {
  load = await PROVIDER_PACKAGES['openai-compatible'].load();
});

/** Asks through the package, with a server that answers with this text; says what it was sent. */
async function askPackage(question: Question, answer: string) {
  let sent: unknown;
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent = init?.body;
    return new Response(answer, { headers: { 'content-type': 'application/json' } });
  };
  const language = load(IDENTITY.model, { baseURL: 'http://127.0.0.1/v1', fetch: fetch as never });
  const reply = await callThrough(language as never, IDENTITY, false)(question, never);
  return { sent, reply };
}

const text = fc.string({ maxLength: 12 });
const schema = fc.constantFrom({ type: 'object' }, { type: 'object', properties: { a: { type: 'string' } } });
const part: fc.Arbitrary<ReplyPart> = fc.oneof(
  fc.record({ kind: fc.constantFrom('text' as const, 'reasoning' as const), text }),
  fc.record({
    kind: fc.constant('call' as const),
    id: text,
    name: text,
    argumentsText: fc.oneof(text, fc.json()),
  }),
);
const result = fc.record(
  { status: fc.constantFrom('ok', 'error'), outcome: fc.jsonValue() },
  { requiredKeys: ['status'] },
) as fc.Arbitrary<JsonObject>;
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), text }),
  fc.record({ role: fc.constant('assistant' as const), said: fc.array(part, { maxLength: 4 }) }),
  fc.record({
    role: fc.constant('tools' as const),
    results: fc.array(fc.record({ callId: text, name: text, result }), { maxLength: 3 }),
  }),
);
const tool = fc.record(
  { name: text, description: text, inputSchema: schema },
  { requiredKeys: ['name', 'inputSchema'] },
);
const number = fc.double({ min: 0, max: 2, noNaN: true });
const question: fc.Arbitrary<Question> = fc.record(
  {
    messages: fc.array(message, { maxLength: 6 }),
    tools: fc.array(tool, { maxLength: 3 }),
    repeat: fc.nat(),
    returnSchema: schema,
    temperature: number,
    topP: number,
    frequencyPenalty: number,
    presencePenalty: number,
    maxTokens: fc.nat(),
    seed: fc.nat(),
    stop: fc.array(text, { maxLength: 2 }),
    reasoningEffort: fc.constantFrom('low', 'high'),
  },
  { requiredKeys: ['messages', 'tools', 'repeat'] },
) as fc.Arbitrary<Question>;

it('sends byte for byte what the package sends', async () => {
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const { sent } = await askPackage(asked, '{}');
      expect(requestBody(IDENTITY.model, asked)).toBe(sent);
    }),
  );
});

/** The right type, now and then nothing, and seldom something else. */
const loosely = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 40, arbitrary: right },
    { weight: 6, arbitrary: fc.constantFrom(null, undefined) },
    { weight: 1, arbitrary: fc.constantFrom(5, 'x', true, [], {}, [5]) },
  );
const count = loosely(fc.constantFrom(0, 3, 7.5, -1));
const call = fc.record({
  id: text,
  function: loosely(fc.record({ name: loosely(text), arguments: loosely(fc.oneof(text, fc.json())) })),
  extra_content: loosely(fc.record({ google: loosely(fc.record({ thought_signature: loosely(text) })) })),
});
const contentPart = fc.oneof(
  fc.record({ type: fc.constant('text'), text: loosely(text) }),
  fc.record({
    type: fc.constant('thinking'),
    thinking: loosely(fc.array(loosely(fc.record({ type: fc.constantFrom('text', 'image'), text })))),
  }),
  fc.record({ type: loosely(fc.constant('image')) }),
);
const spoken = fc.record({
  role: loosely(fc.constant('assistant')),
  content: loosely(fc.oneof(text, fc.array(loosely(contentPart), { maxLength: 3 }))),
  reasoning_content: loosely(text),
  reasoning: loosely(text),
  refusal: loosely(fc.constantFrom('', 'I will not.')),
  tool_calls: loosely(fc.array(loosely(call), { maxLength: 3 })),
});
const finish = fc.constantFrom('stop', 'length', 'content_filter', 'function_call', 'tool_calls', 'toString');
const completion = fc.record({
  id: loosely(text),
  created: loosely(fc.nat()),
  model: loosely(text),
  choices: loosely(
    fc.array(loosely(fc.record({ message: loosely(spoken), finish_reason: loosely(finish) })), {
      maxLength: 2,
    }),
  ),
  usage: loosely(
    fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: loosely(fc.record({ cached_tokens: count })),
      completion_tokens_details: loosely(fc.record({ reasoning_tokens: count })),
    }),
  ),
});
const ASKED: Question = { messages: [{ role: 'user', text: 'hi' }], tools: [], repeat: 0 };

it('reads what the package reads, and nothing that the package cannot', async () => {
  const kinds = new Set<string>();
  await fc.assert(
    fc.asyncProperty(loosely(completion), async (body) => {
      const answer = JSON.stringify(body) ?? '';
      const { reply } = await askPackage(ASKED, answer);
      kinds.add(reply.kind);
      const own = answerIn(answer);
      expect(own && replyOf(own, IDENTITY)).toEqual(reply.kind === 'reply' ? reply : undefined);
    }),
    { numRuns: 500 },
  );
  expect([...kinds].sort()).toEqual(['reply', 'unreadable']);
});

it('gives a call without an id one of its own', () => {
  const calls = [{ function: { name: 'a', arguments: '{}' } }, { function: { name: 'b', arguments: '{}' } }];
  const answer = answerIn(JSON.stringify({ choices: [{ message: { tool_calls: calls } }] }));
  const ids = answer && replyOf(answer, IDENTITY).toolCalls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});
