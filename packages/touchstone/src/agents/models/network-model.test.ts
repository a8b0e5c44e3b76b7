// Everything here goes through the real provider package to a real server on loopback, once in one piece and once as a
// stream: what the agent gets to see may not depend on which.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../net/concurrency.js';
import { createGuard } from '../../net/guard.js';
import { manualClock } from '../fixtures/manual-clock.js';
import {
  ACME,
  freeBound,
  modelsFor,
  passingTime,
  pinOf,
  questionOf,
  servedModel,
} from '../fixtures/model-parts.js';
import { inTurn, type ModelAction, type ModelScript, startModelServer } from '../fixtures/model-server.js';
import type { Question } from './model.js';

const USAGE = { provider: 'local', model: 'small-1', inputTokens: 7, outputTokens: 3 };

describe.each([
  ['in one piece', false],
  ['as a stream', true],
])('a reply %s', (_name, stream) => {
  const start = (script: ModelScript, spec: object = {}) => servedModel(script, { stream, ...spec });

  /** Asks once, letting any waiting pass. */
  async function ask(script: ModelScript, question: Question = questionOf('hi'), spec: object = {}) {
    const { server, model, clock } = await start(script, spec);
    const bound = freeBound(clock);
    const { value: reply, sleeps } = await passingTime(model.ask(question, bound), clock);
    return { reply, sleeps, server, effort: bound.effort };
  }

  it('is text, reasoning and what they cost', async () => {
    const action = {
      say: 'Five days.',
      reasoning: 'I looked it up.',
      usage: { input: 90, output: 8, cached: 64 },
    };
    const { reply, effort } = await ask(inTurn(action));
    expect(reply).toEqual({
      kind: 'reply',
      text: 'Five days.',
      reasoning: 'I looked it up.',
      toolCalls: [],
      refused: false,
      finish: 'stop',
      usage: {
        ...USAGE,
        inputTokens: 90,
        outputTokens: 8,
        cacheReadTokens: 64,
        time: { startedAt: expect.any(Number), durationMs: expect.any(Number) },
      },
      said: [
        { kind: 'reasoning', text: 'I looked it up.' },
        { kind: 'text', text: 'Five days.' },
      ],
    });
    expect(effort).toEqual({ attempts: 1, waitedMs: 0 });
  });

  it('can ask for tools, with arguments that are JSON, missing or broken', async () => {
    const calls = [
      { id: 'a', name: 'kb_search', arguments: { q: 'refund' } },
      { id: 'b', name: 'now', arguments: '' },
      { id: 'c', name: 'kb_search', arguments: '{"q": ' },
    ];
    const { reply } = await ask(inTurn({ say: 'Let me see.', calls }));
    expect(reply).toMatchObject({
      text: 'Let me see.',
      finish: 'tool-calls',
      toolCalls: [
        { id: 'a', name: 'kb_search', inputs: { q: 'refund' } },
        { id: 'b', name: 'now', inputs: {} },
        { id: 'c', name: 'kb_search', inputs: undefined },
      ],
    });
  });

  it.each<[string, ModelAction, object]>([
    ['said in the refusal field', { refusal: 'I will not.' }, { refused: true, text: 'I will not.' }],
    ['made by a filter', { say: '', finish: 'content_filter' }, { refused: true, text: '' }],
    ['made by a filter midway', { say: 'Well', finish: 'content_filter' }, { refused: true, text: 'Well' }],
  ])('may be a refusal, %s', async (_how, action, expected) => {
    expect((await ask(inTurn(action))).reply).toMatchObject({ kind: 'reply', ...expected });
  });

  it('without counts has cost nothing that is known', async () => {
    const { reply } = await ask(inTurn({ say: 'x', usage: null }));
    expect(reply).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0, uncounted: true } });
  });

  it('answers a question that carries prompt, history, tools and schema', async () => {
    const returnSchema = { type: 'object', properties: { answer: { type: 'string' } } };
    const { server } = await ask(
      inTurn({ say: '{}' }),
      {
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'user', text: 'hi' },
          {
            role: 'assistant',
            said: [
              { kind: 'text', text: 'Hm.' },
              { kind: 'call', id: 'a', name: 'kb', argumentsText: '{"q":1}' },
              { kind: 'call', id: 'b', name: 'kb', argumentsText: 'broken' },
            ],
          },
          {
            role: 'tools',
            results: [
              { callId: 'a', name: 'kb', result: { status: 'ok', outcome: [1] } },
              { callId: 'b', name: 'kb', result: { status: 'error' } },
            ],
          },
        ],
        tools: [{ name: 'kb', description: 'Search.', inputSchema: { type: 'object' } }],
        returnSchema,
        temperature: 0,
        maxTokens: 50,
        repeat: 3,
      },
      { headers: { 'x-team': 'a' } },
    );
    const [{ path, headers, body } = { path: '', headers: {}, body: undefined }] = server.requests;
    expect(path).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({ 'x-team': 'a' });
    expect(headers).not.toHaveProperty('authorization');
    expect(body).toMatchObject({
      model: 'small-1',
      temperature: 0,
      max_tokens: 50,
      response_format: { type: 'json_schema', json_schema: { schema: returnSchema, strict: false } },
      tools: [
        {
          type: 'function',
          function: { name: 'kb', description: 'Search.', parameters: { type: 'object' } },
        },
      ],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: 'Hm.',
          tool_calls: [
            { id: 'a', function: { name: 'kb', arguments: '{"q":1}' } },
            { id: 'b', function: { name: 'kb', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '{"status":"ok","outcome":[1]}' },
        { role: 'tool', tool_call_id: 'b', content: '{"status":"error"}' },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('repeat');
  });

  it.each<[string, ModelAction]>([
    ['a connection that is dropped', 'reset'],
    ['an answer that breaks off', 'cut'],
    ['a 500', { status: 500, body: '{"error":{"message":"down"}}' }],
    ['a 429 that names no wait', { status: 429 }],
  ])('is tried for again after %s', async (_trouble, action) => {
    const { reply, sleeps, effort, server } = await ask(inTurn(action, action, { say: 'fine' }));
    expect(reply).toMatchObject({ kind: 'reply', text: 'fine' });
    expect(sleeps).toEqual([375, 750]);
    expect(effort).toEqual({ attempts: 3, waitedMs: 1_125 });
    expect(server.requests).toHaveLength(3);
  });

  it.each<[string, ModelAction, string]>([
    ['errors', { status: 503 }, 'HTTP 503'],
    ['broken answers', 'cut', stream ? '' : 'ECONNRESET'],
  ])('that never comes makes the model unreachable: %s', async (_trouble, action, words) => {
    const { reply, server } = await ask(inTurn(action));
    expect(reply).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('Model local/small-1'),
    });
    expect(reply).toHaveProperty('reason', expect.stringContaining(words));
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    ['in seconds', { 'retry-after': '30' }, 30_000],
    ['in milliseconds', { 'retry-after-ms': '12345', 'retry-after': '30' }, 12_345],
  ])('is waited for as long as the provider asks, %s', async (_unit, headers, ms) => {
    const limited = { status: 429, headers };
    const { reply, sleeps, effort } = await ask(
      inTurn(limited, limited, limited, limited, limited, { say: 'fine' }),
    );
    expect(reply).toMatchObject({ kind: 'reply', text: 'fine' });
    expect(sleeps).toEqual([ms, ms, ms, ms, ms]);
    expect(effort).toEqual({ attempts: 6, waitedMs: 5 * ms });
  });

  it.each<[string, ModelAction, string]>([
    ['a 400', { status: 400, body: '{"error":{"message":"CANARY"}}' }, 'HTTP 400'],
    ['a 422', { status: 422, body: 'CANARY' }, 'HTTP 422'],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'redirect'],
    ['an answer that is too long', 'endless', '10000 bytes'],
  ])('%s is a failure after one request, told without content', async (_trouble, action, words) => {
    const { reply, server } = await ask(inTurn(action));
    expect(reply).toMatchObject({ kind: 'failed', reason: expect.stringContaining('local/small-1') });
    expect(reply).toHaveProperty('reason', expect.stringContaining(words));
    expect(JSON.stringify(reply)).not.toContain('CANARY');
    expect(server.requests).toHaveLength(1);
  });

  const refusal = (error: object) => JSON.stringify({ error: { message: 'CANARY', ...error } });
  it.each<[string, ModelAction, string]>([
    ['a rejected key', { status: 401, body: refusal({ code: 'invalid_api_key' }) }, '401 invalid_api_key'],
    ['no credit', { status: 402, body: refusal({ type: 'billing_error' }) }, '402 billing_error'],
    ['a forbidden model', { status: 403, body: 'CANARY' }, '403'],
    ['a proxy that wants a password', { status: 407, body: '' }, '407'],
    [
      'a model that is not there',
      { status: 404, body: refusal({ code: 'model_not_found' }) },
      '404 model_not_found',
    ],
    [
      'an exhausted quota',
      { status: 429, body: refusal({ type: 'insufficient_quota' }) },
      '429 insufficient_quota',
    ],
    ['a code that is no name', { status: 401, body: refusal({ code: 'CANARY of 2 words' }) }, '401'],
  ])('%s is denied access after one request, told without content', async (_trouble, action, words) => {
    const { reply, server } = await ask(inTurn(action));
    expect(reply).toMatchObject({ kind: 'denied', reason: `local answered ${words}.` });
    expect(JSON.stringify(reply)).not.toContain('CANARY');
    expect(server.requests).toHaveLength(1);
  });

  it('ends with the run that wants it', async () => {
    const asked = createDeferred<undefined>();
    const { model, clock } = await start(() => {
      asked.resolve(undefined);
      return createDeferred<ModelAction>().promise;
    });
    const bound = freeBound(clock);
    const reply = model.ask(questionOf('hi'), bound);
    await asked.promise;
    bound.cancel('enough');
    await expect(reply).rejects.toBe('enough');
  });

  it('shares the pace of everyone who asks the same provider', async () => {
    const { server, model, clock } = await start(
      inTurn({ status: 429, headers: { 'retry-after': '30' } }, { say: 'x' }),
    );
    const first = model.ask(questionOf('one'), freeBound(clock));
    await clock.asleep(30_000);
    const second = model.ask(questionOf('two'), freeBound(clock));
    clock.advance(29_999);
    expect(server.requests).toHaveLength(1);
    clock.advance(1);
    expect((await Promise.all([first, second])).map(({ kind }) => kind)).toEqual(['reply', 'reply']);
  });
});

it.each([
  ['an error', 'data: {"error":{"message":"CANARY"}}\n\n'],
  ['something that is not JSON', 'data: CANARY\n\n'],
  ['nothing more', 'data: {"choices":[{"index":0,"delta":{"content":"CANARY"}}]}\n\n'],
])('a stream that goes on with %s is tried for again', async (_what, body) => {
  const broken = { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
  const { model, server, clock } = await servedModel(inTurn(broken), { stream: true });
  const { value: reply } = await passingTime(model.ask(questionOf('hi'), freeBound(clock)), clock);
  expect(reply).toMatchObject({ kind: 'unreachable', reason: expect.stringContaining('broke off') });
  expect(JSON.stringify(reply)).not.toContain('CANARY');
  expect(server.requests).toHaveLength(4);
});

it.each<[string, ModelAction]>([
  ['not JSON', { status: 200, body: '{"choices": CANARY' }],
  ['of another shape', { status: 200, body: '{"answer": "CANARY"}' }],
  ['without choices', { status: 200, body: '{"choices": []}' }],
  ['a web page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>CANARY' }],
  ['nothing', { status: 204 }],
])('an answer that is %s is a failure after one request', async (_what, action) => {
  const { model, server, clock } = await servedModel(inTurn(action));
  const reply = await model.ask(questionOf('hi'), freeBound(clock));
  expect(reply).toEqual({
    kind: 'failed',
    reason: 'Model local/small-1 gave an answer that could not be read.',
  });
  expect(server.requests).toHaveLength(1);
});

describe('a credential', () => {
  const env = { LOCAL_KEY: 'sk-CANARY' };

  it('goes to its provider and into no reason', async () => {
    const { model, server, clock } = await servedModel(
      inTurn({ status: 403, body: 'key sk-CANARY is bad' }),
      { apiKeyEnv: 'LOCAL_KEY' },
      { env },
    );
    const reply = await model.ask(questionOf('hi'), freeBound(clock));
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-CANARY');
    expect(JSON.stringify(reply)).not.toContain('CANARY');
  });

  it.each([
    ['is not set', undefined, 'not set'],
    ['is empty', '', 'not set'],
    ['cannot be sent', 'sk-CANARY\nx', 'characters'],
  ])('that %s is told when the model is opened, by the name of its variable', async (_what, value, words) => {
    const error = await servedModel(
      inTurn(),
      { apiKeyEnv: 'LOCAL_KEY' },
      { env: { LOCAL_KEY: value } },
    ).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'validation_error', message: expect.stringContaining('LOCAL_KEY') });
    expect(error).toHaveProperty('message', expect.stringContaining(words));
    expect(String(error)).not.toContain('CANARY');
  });
});

describe('an endpoint that a tenant names', () => {
  async function open(guard: ReturnType<typeof createGuard>, host = '127.0.0.1') {
    const server = await startModelServer(inTurn({ say: 'fine' }));
    onTestFinished(() => server.close());
    const clock = manualClock();
    const baseUrl = server.baseUrl.replace('127.0.0.1', host);
    const model = await modelsFor({}, clock).open(ACME, pinOf('openai', 'x'), { baseUrl, guard });
    return { server, reply: await model.ask(questionOf('hi'), freeBound(clock)) };
  }

  it('is not asked when the guard refuses its address', async () => {
    const { server, reply } = await open(createGuard());
    expect(reply).toMatchObject({ kind: 'failed' });
    expect(server.requests).toHaveLength(0);
  });

  it('is not asked when its name leads to a private address', async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const resolved = createGuard({ resolve, allowPrivate: false });
    const lenient = { ...resolved, checkUrl: () => [] };
    const { server, reply } = await open(lenient, 'model.example');
    expect(reply).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not public') });
    expect(server.requests).toHaveLength(0);
  });

  it('is asked at the very address that was checked', async () => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const { server, reply } = await open(createGuard({ resolve, allowPrivate: true }), 'model.example');
    expect(reply).toMatchObject({ kind: 'reply', text: 'fine' });
    expect(asked).toEqual(['model.example']);
    expect(server.requests[0]?.headers.host).toMatch(/^model\.example:/);
  });
});
