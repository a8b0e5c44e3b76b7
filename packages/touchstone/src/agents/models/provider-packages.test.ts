// The four provider packages, each against a stand-in that speaks its own wire format: a question with a tool, the call
// it leads to, and the second question that carries the result back.
import { isHostError } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../fixtures/manual-clock.js';
import { ACME, freeBound, modelsFor, passingTime, pinOf } from '../fixtures/model-parts.js';
import { inTurn, startModelServer } from '../fixtures/model-server.js';
import { type Answering, reply, serve } from '../fixtures/serve.js';
import type { Question, Reply } from './model.js';
import { PROVIDER_PACKAGES } from './provider-packages.js';

const KEY = 'sk-CANARY';
const ENV = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GOOGLE_GENERATIVE_AI_API_KEY: KEY };
const FIRST: Question = {
  messages: [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'refund?' },
  ],
  tools: [
    { name: 'kb_search', description: 'Search.', inputSchema: { type: 'object', properties: { q: {} } } },
  ],
  maxTokens: 100,
  repeat: 0,
};

/** Asks twice: for the tool call, then with its result. */
async function converse(kind: 'openai' | 'anthropic' | 'google', baseUrl: string, spec: object = {}) {
  const clock = manualClock();
  const models = modelsFor({ vendor: { kind, baseUrl, ...spec } }, clock, { env: ENV });
  const model = await models.open(ACME, pinOf('vendor', 'model-1'));
  const first = (await model.ask(FIRST, freeBound(clock))) as Reply;
  const results = first.toolCalls.map(({ id, name }) => ({
    callId: id,
    name,
    result: { status: 'ok', outcome: 5 },
  }));
  const messages = [
    ...FIRST.messages,
    { role: 'assistant', said: first.said } as const,
    { role: 'tools', results } as const,
  ];
  const second = (await model.ask({ ...FIRST, messages }, freeBound(clock))) as Reply;
  return { first, second };
}

const expectConversation = ({ first, second }: { first: Reply; second: Reply }) => {
  expect(first).toMatchObject({ kind: 'reply', finish: 'tool-calls', refused: false });
  expect(first.toolCalls).toMatchObject([{ name: 'kb_search', inputs: { q: 'refund' } }]);
  expect(second).toMatchObject({ kind: 'reply', text: 'Five days.', finish: 'stop', toolCalls: [] });
  expect(second.usage).toMatchObject({
    provider: 'vendor',
    model: 'model-1',
    inputTokens: 20,
    outputTokens: 4,
  });
};

async function standIn(answers: readonly object[]) {
  const headers: { [name: string]: unknown }[] = [];
  const answer: Answering = (_body, response, request) => {
    headers.push({ url: request.url, ...request.headers });
    reply(response, 200, answers[headers.length - 1]);
  };
  const server = await serve(answer);
  onTestFinished(() => server.close());
  return {
    url: server.url.replace(/\/$/, ''),
    headers,
    bodies: () => server.requests.map((body) => JSON.parse(body)),
  };
}

it.each([false, true])('OpenAI is asked for chat completions (stream: %s)', async (stream) => {
  const server = await startModelServer(
    inTurn(
      { calls: [{ name: 'kb_search', arguments: { q: 'refund' } }] },
      { say: 'Five days.', usage: { input: 20, output: 4 } },
    ),
  );
  onTestFinished(() => server.close());
  expectConversation(await converse('openai', server.baseUrl, { stream }));
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_0' });
});

it.each([false, true])('OpenAI’s refusals are refusals (stream: %s)', async (stream) => {
  const server = await startModelServer(inTurn({ refusal: 'I will not.' }));
  onTestFinished(() => server.close());
  const { first } = await converse('openai', server.baseUrl, { stream });
  expect(first).toMatchObject({ refused: true, text: 'I will not.' });
});

it('Anthropic is asked for messages, and gets its signatures back', async () => {
  const message = (content: readonly object[], stop_reason: string) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'model-1',
    content,
    stop_reason,
    usage: { input_tokens: 12, output_tokens: 4, cache_read_input_tokens: 8 },
  });
  const server = await standIn([
    message(
      [
        { type: 'thinking', thinking: 'Search first.', signature: 'signed' },
        { type: 'tool_use', id: 'toolu_1', name: 'kb_search', input: { q: 'refund' } },
      ],
      'tool_use',
    ),
    message([{ type: 'text', text: 'Five days.' }], 'end_turn'),
  ]);
  const conversation = await converse('anthropic', `${server.url}/v1`);
  expectConversation(conversation);
  expect(conversation.first.reasoning).toBe('Search first.');
  expect(conversation.second.usage.cacheReadTokens).toBe(8);
  expect(server.headers[0]).toMatchObject({ url: '/v1/messages', 'x-api-key': KEY });
  const [, second] = server.bodies();
  expect(second.system).toMatchObject([{ type: 'text', text: 'Be brief.' }]);
  expect(second.messages.slice(1)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Search first.', signature: 'signed' },
        { type: 'tool_use', id: 'toolu_1', input: { q: 'refund' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
  ]);
});

describe('Google', () => {
  const candidate = (parts: readonly object[]) => ({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 4, totalTokenCount: 24 },
  });

  it('is asked to generate content, and gets its signatures back', async () => {
    const call = { functionCall: { name: 'kb_search', args: { q: 'refund' } }, thoughtSignature: 'signed' };
    const server = await standIn([candidate([call]), candidate([{ text: 'Five days.' }])]);
    expectConversation(await converse('google', `${server.url}/v1beta`));
    expect(server.headers[0]).toMatchObject({
      url: '/v1beta/models/model-1:generateContent',
      'x-goog-api-key': KEY,
    });
    const [, second] = server.bodies();
    expect(second.contents.slice(1)).toMatchObject([
      { role: 'model', parts: [call] },
      { role: 'user', parts: [{ functionResponse: { name: 'kb_search' } }] },
    ]);
  });

  it('is told the schema in words beside tools, and as a schema without', async () => {
    const server = await standIn([candidate([{ text: '{}' }]), candidate([{ text: '{}' }])]);
    const clock = manualClock();
    const models = modelsFor({ vendor: { kind: 'google', baseUrl: server.url } }, clock, { env: ENV });
    const model = await models.open(ACME, pinOf('vendor', 'model-1'));
    const returnSchema = { type: 'object', properties: { answer: { type: 'string' } } };
    await model.ask({ ...FIRST, returnSchema }, freeBound(clock));
    await model.ask({ ...FIRST, returnSchema, tools: [] }, freeBound(clock));
    const [withTools, without] = server.bodies();
    expect(withTools.generationConfig).not.toHaveProperty('responseMimeType');
    expect(withTools.systemInstruction.parts[0].text).toMatch(/^Be brief\.[\s\S]*"answer"/);
    expect(withTools.contents).toHaveLength(1);
    expect(without.generationConfig).toMatchObject({ responseMimeType: 'application/json' });
  });
});

describe('streams', () => {
  const event = (data: object) =>
    `${'type' in data ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
  const anthropic = [
    {
      type: 'message_start',
      message: { id: 'm', model: 'model-1', usage: { input_tokens: 20, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'signed' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Five ' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'days.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ];
  const google = [
    { candidates: [{ content: { parts: [{ text: 'Hm.', thought: true, thoughtSignature: 'signed' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'Five ' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'days.' }] } }] },
    {
      candidates: [{ content: { parts: [] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 4 },
    },
  ];

  async function ask(kind: 'anthropic' | 'google', events: readonly object[]) {
    const server = await serve((_body, response) =>
      reply(response, 200, events.map(event).join(''), { 'content-type': 'text/event-stream' }),
    );
    onTestFinished(() => server.close());
    const clock = manualClock();
    const models = modelsFor({ vendor: { kind, baseUrl: server.url, stream: true } }, clock, { env: ENV });
    const model = await models.open(ACME, pinOf('vendor', 'model-1'));
    return (await passingTime(model.ask(FIRST, freeBound(clock)), clock)).value;
  }

  it.each([
    ['anthropic', anthropic],
    ['google', google],
  ] as const)('of %s are put together, signatures included', async (kind, events) => {
    const answer = await ask(kind, events);
    expect(answer).toMatchObject({
      kind: 'reply',
      text: 'Five days.',
      reasoning: 'Hm.',
      finish: 'stop',
      usage: { inputTokens: 20, outputTokens: 4 },
    });
    expect(JSON.stringify(answer)).toContain('signed');
  });

  it.each([
    ['anthropic', anthropic.slice(0, 8)],
    ['google', google.slice(0, 3)],
  ] as const)('of %s that end before the model does are connection loss', async (kind, events) => {
    expect(await ask(kind, events)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('4 tries'),
    });
  });
});

describe('a package', () => {
  const openWith = (load: () => Promise<never>) =>
    modelsFor({}, manualClock(), {
      env: ENV,
      packages: { ...PROVIDER_PACKAGES, anthropic: { name: '@ai-sdk/anthropic', load } },
    }).open(ACME, pinOf('anthropic', 'model-1'));

  it('that is not installed is named, with the command that installs it', async () => {
    const missing = Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' });
    const error = await openWith(() => Promise.reject(missing)).catch((thrown: unknown) => thrown);
    expect(isHostError(error) && error.code).toBe('validation_error');
    expect(error).toHaveProperty('message', expect.stringContaining('npm install @ai-sdk/anthropic'));
  });

  it('that speaks another version is named, with the one that is needed', async () => {
    const old = () => Promise.resolve((() => ({ specificationVersion: 'v2' })) as never);
    await expect(openWith(old)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('npm install @ai-sdk/anthropic@3'),
    });
  });
});
