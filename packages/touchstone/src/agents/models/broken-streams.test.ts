import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../fixtures/manual-clock.js';
import { ACME, modelsFor, pinOf, questionOf } from '../fixtures/model-parts.js';
import { serve } from '../fixtures/serve.js';

const CHUNK = { id: 'x', choices: [{ index: 0, delta: { role: 'assistant', content: 'hel' } }] };
const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (more: object) => ({ id: 'x', choices: [{ index: 0, delta: more }] });

describe('a stream that goes wrong', () => {
  it.each([
    ['by an error in the middle', [CHUNK, { error: { message: 'overloaded' } }, '[DONE]']],
    ['by a piece that is not JSON', [CHUNK, '{nope', '[DONE]']],
    [
      'by a call whose name is no name',
      [CHUNK, delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 5 } }] })],
    ],
    ['by ending', [CHUNK]],
  ])('%s leaves nothing behind that an abort could trip over', async (_how, events) => {
    const server = await serve((_body, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map(event).join(''));
    });
    onTestFinished(() => server.close());
    const local = { kind: 'openai-compatible', baseUrl: `${server.url}v1`, stream: true };
    const clock = manualClock();
    const models = modelsFor({ local }, clock, { retries: { maxTries: 1, withinMs: 1 } });
    const model = await models.open(ACME, pinOf('local'));
    const over = new AbortController();
    const bound = {
      signal: over.signal,
      effort: { attempts: 0, waitedMs: 0 },
      waiting: <T>(wait: () => Promise<T>) => wait(),
    };
    const reply = await model.ask(questionOf('hi'), bound);
    expect(['failed', 'unreachable']).toContain(reply.kind);
    // An error that nobody hears would end this process here.
    over.abort();
    for (let turns = 0; turns < 20; turns += 1) await turn();
  });
});
