import type { Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../../ports/index.js';
import { manualClock } from '../../fixtures/manual-clock.js';
import { openForTest } from '../../fixtures/open-for-test.js';
import { invocationOf, recordingHost } from '../../fixtures/recording-host.js';
import { type Answering, reply, serve } from '../../fixtures/serve.js';

const RESPONSE = {
  output: '/reply/text',
  refused: '/blocked',
  error: '/error/message',
  usage: { model: '/model', inputTokens: '/usage/in', outputTokens: '/usage/out' },
  toolCalls: { list: '/steps', tool: '/name', inputs: '/args', outcome: '/result' },
};

async function start(answering: Answering | Json, run: object = { response: RESPONSE }) {
  const answer: Answering =
    typeof answering === 'function' ? answering : (_body, response) => reply(response, 200, answering);
  const server = await serve(answer);
  const agent = await openForTest({ kind: 'http', url: server.url, ...run }, manualClock());
  onTestFinished(async () => {
    await agent.close();
    await server.close();
  });
  const host = recordingHost();
  const ask = (input: Json = 'hi'): Promise<Answer> => agent.invoke(invocationOf(input), host);
  return { server, ask, host };
}

describe('the request of a mapped service', () => {
  it('is exactly the rendered template', async () => {
    const methods: unknown[] = [];
    const { server, ask } = await start(
      (_body, response, request) => {
        methods.push(request.method);
        reply(response, 200, { reply: { text: 'on Friday' } });
      },
      {
        method: 'PUT',
        request: {
          message: '{{input.question}}',
          session: '{{conversationId}}',
          history: '{{messages}}',
          known: '{{ memory.0.content }}',
          priority: 3,
        },
        response: RESPONSE,
      },
    );
    expect(await ask({ question: 'Where is it?' })).toMatchObject({ kind: 'answered', output: 'on Friday' });
    expect(methods).toEqual(['PUT']);
    expect(JSON.parse(server.requests[0] ?? '')).toEqual({
      message: 'Where is it?',
      session: expect.stringMatching(/^inv-/),
      history: [{ role: 'user', content: '{"question":"Where is it?"}' }],
      known: 'remembered',
      priority: 3,
    });
  });

  it('is the input itself where only the response is mapped', async () => {
    const { server, ask } = await start({ reply: { text: 'yes' } });
    await ask({ q: [1, 'two'] });
    expect(JSON.parse(server.requests[0] ?? '')).toEqual({ q: [1, 'two'] });
  });

  it('holds the last words of the user, and the messages that came', async () => {
    const { server, ask } = await start('ok', { request: { text: '{{ last }}', all: '{{ messages }}' } });
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
      { role: 'user', content: 'and now?' },
    ];
    await ask({ messages });
    await ask(messages);
    const sent = JSON.stringify({ text: 'and now?', all: messages });
    expect(server.requests).toEqual([sent, sent]);
  });

  it('is not sent with a variable that has no value', async () => {
    const { server, ask } = await start('ok', { request: '{{ memory.7.content }}' });
    expect(await ask()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('memory.7.content'),
    });
    expect(server.requests).toEqual([]);
  });
});

describe('the answer of a mapped service', () => {
  it.each<[string, Json, object, object]>([
    ['at a pointer', { reply: { text: [1] } }, RESPONSE, { kind: 'answered', output: [1] }],
    ['as a whole', { a: 1 }, {}, { kind: 'answered', output: { a: 1 } }],
    ['that is no JSON, as its text', 'plain <words>', {}, { kind: 'answered', output: 'plain <words>' }],
    ['that is refused', { blocked: true }, RESPONSE, { kind: 'refused', output: null }],
    ['that is not refused', { blocked: false, reply: { text: '' } }, RESPONSE, { output: '' }],
    [
      'that is an error',
      { error: { message: 'no such order' } },
      RESPONSE,
      { kind: 'failed', reason: 'The service reported an error: no such order' },
    ],
    [
      'that is elsewhere, with the names of the members that are there',
      { reply: { message: 'SECRET', lang: 'en' } },
      RESPONSE,
      { kind: 'failed', reason: 'The answer has nothing at /reply/text; /reply has: message, lang.' },
    ],
    [
      'that is not even begun',
      [1, 2],
      RESPONSE,
      { kind: 'failed', reason: 'The answer has nothing at /reply/text; it is a list of 2.' },
    ],
  ])('is read %s', async (_name, body, response, expected) => {
    const { ask } = await start(body, { response });
    expect(await ask()).toMatchObject(expected);
  });

  it('may begin with a mark of the byte order', async () => {
    const { ask } = await start((_body, response) => {
      response.end('\ufeff{"reply":{"text":"on Friday"}}');
    });
    expect(await ask()).toMatchObject({ kind: 'answered', output: 'on Friday' });
  });

  it('says what it used, and what it used is paid for although the rest is missing', async () => {
    const { ask, host } = await start({ model: 'gpt-x', usage: { in: 7, out: 2 } });
    expect((await ask()).kind).toBe('failed');
    expect(host.spent).toEqual([
      { provider: 'local.acme.actor', model: 'gpt-x', inputTokens: 7, outputTokens: 2 },
    ]);
  });

  it('with half of a usage is a failure', async () => {
    const { ask } = await start({ usage: { in: 7 }, reply: { text: 'x' } });
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('/outputTokens') });
  });

  it('tells of tool calls, which are observed and never answered', async () => {
    const { ask, host } = await start({
      reply: { text: 'done' },
      steps: [
        { name: 'orders.get', args: { orderId: '1042' }, result: { eta: 'Friday' } },
        { name: 'mcp:mail.send', args: '{"to":"ann"}' },
      ],
    });
    expect((await ask()).kind).toBe('answered');
    expect(host.calls).toEqual([]);
    expect(host.observed).toEqual([
      { toolId: 'local:orders.get', inputs: { orderId: '1042' }, outcome: { eta: 'Friday' } },
      { toolId: 'mcp:mail.send', inputs: { to: 'ann' } },
    ]);
  });

  it('with a tool call that names no tool is a failure', async () => {
    const { ask } = await start({ reply: { text: 'x' }, steps: [{ args: {} }] });
    expect(await ask()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('/name') });
  });
});

describe('a stream', () => {
  const pieces =
    (...texts: readonly string[]): Answering =>
    async (_body, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of texts) await new Promise<void>((sent) => response.write(text, () => sent()));
      // The connection stays open when the last piece says that it is the last.
      if (!texts.at(-1)?.includes('[DONE]')) response.end();
    };
  const SSE = { stream: 'sse', response: { ...RESPONSE, delta: '/delta/text' } };

  it('of three pieces is one answer, wherever they are cut', async () => {
    const { ask, host } = await start(
      pieces(
        ': hello\n\ndata: {"delta":{"text":"on Fr"}}\r\n\r\ndata: {"delta":',
        '{"text":"iday, ü"}}\n\nevent: end\ndata: {"usage":{"in":3,"out":1},"model":"m"}\n\ndata: {"steps":[{"name":"a"}]}\n\ndata: [DO',
        'NE]\n\n',
      ),
      SSE,
    );
    expect(await ask()).toMatchObject({ kind: 'answered', output: 'on Friday, ü' });
    expect(host.spent).toMatchObject([{ inputTokens: 3, outputTokens: 1 }]);
    expect(host.observed).toMatchObject([{ toolId: 'local:a' }]);
  });

  it('is read by the events of one name', async () => {
    const { ask } = await start(
      pieces('event: thought\ndata: no\n\nevent: token\ndata: yes\n\ndata: no\n\n'),
      {
        stream: 'sse',
        response: { delta: '', event: 'token' },
      },
    );
    expect(await ask()).toMatchObject({ kind: 'answered', output: 'yes' });
  });

  it('of lines is read line by line', async () => {
    const { ask } = await start(pieces('{"delta":{"text":"a"}}\n{"del', 'ta":{"text":"b"}}\n'), {
      ...SSE,
      stream: 'jsonl',
    });
    expect(await ask()).toMatchObject({ kind: 'answered', output: 'ab' });
  });

  it('without a delta has its answer in the last event that holds one', async () => {
    const { ask } = await start(pieces('{"reply":{"text":"draft"}}\n{"reply":{"text":"final"}}\n{"end":1}'), {
      stream: 'jsonl',
      response: RESPONSE,
    });
    expect(await ask()).toMatchObject({ kind: 'answered', output: 'final' });
  });

  it('without any text says what its last event holds', async () => {
    const { ask } = await start(pieces('data: {"delta":{"txt":"a"}}\n\n'), SSE);
    expect(await ask()).toMatchObject({
      kind: 'failed',
      reason: 'The answer has nothing at /delta/text; /delta has: txt.',
    });
  });

  it('without events says so', async () => {
    const { ask } = await start(pieces(': nothing\n\n'), SSE);
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'The answer holds no events.' });
  });
});

describe('a mapping that cannot be read', () => {
  it.each([
    [{ request: { a: ['{{ b'] } }, '/run/request/a/0'],
    [{ response: { output: 'reply' } }, '/run/response/output'],
    [{ response: { delta: '/a' } }, '/run/response/delta'],
    [{ response: {}, stream: 'jsonl', extra: 1 }, '/run/extra'],
    [{ response: { event: 'x' }, stream: 'jsonl' }, '/run/response/event'],
    [{ stream: 'sse' }, '/run/stream'],
    [{ method: 'PUT' }, '/run/method'],
    [{ request: {}, method: 'GET' }, '/run/method'],
  ])('is refused: %j', async (run, pointer) => {
    await expect(
      openForTest({ kind: 'http', url: 'http://127.0.0.1/', ...run }, manualClock()),
    ).rejects.toMatchObject({ details: { issues: [{ pointer }] } });
  });
});
