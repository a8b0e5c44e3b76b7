import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invocationOf, recordingHost } from '../fixtures/recording-host.js';
import { parseTurn, takeTurns } from './turns.js';

const call = { callId: 'a', toolId: 'local:kb.search', inputs: {} };
const usage = { provider: 'local', model: 'm', inputTokens: 1, outputTokens: 2 };

describe('an answer that does not follow the protocol names the member that is wrong', () => {
  it.each([
    [[], '/:'],
    [{}, '/output'],
    [{ toolCalls: [] }, '/output'],
    [{ output: 1, toolCalls: [call] }, '/toolCalls'],
    [{ toolCalls: {} }, '/toolCalls'],
    [{ toolCalls: [{ ...call, callId: 7 }] }, '/toolCalls/0/callId'],
    [{ toolCalls: [{ callId: 'a' }] }, '/toolCalls/0/toolId'],
    [{ toolCalls: [call, call] }, '/toolCalls/1/callId'],
    [{ output: 1, confidence: 1.5 }, '/confidence'],
    [{ output: 1, confidence: 'high' }, '/confidence'],
    [{ output: 1, refused: 'yes' }, '/refused'],
    [{ output: 1, reasoning: ['x'] }, '/reasoning'],
    [{ output: 1, usage }, '/usage'],
    [{ output: 1, usage: [{ ...usage, outputTokens: 1.5 }] }, '/usage/0/outputTokens'],
    [{ output: 1, usage: [{ ...usage, costUsd: -1 }] }, '/usage/0/costUsd'],
    [{ output: 1, usage: [{ ...usage, model: 'a "sentence", with\nlines' }] }, '/usage/0/model'],
  ])('%j', (answer, pointer) => {
    const turn = parseTurn(JSON.stringify(answer));
    expect(turn).toMatchObject({ kind: 'malformed', reason: expect.stringContaining(pointer) });
  });

  it('and never quotes it', () => {
    const turn = parseTurn(JSON.stringify({ output: 1, confidence: 'SECRET', reasoning: { SECRET: 1 } }));
    expect(JSON.stringify(turn)).not.toContain('SECRET');
  });

  it('but what it says it used is paid for', () => {
    expect(parseTurn(JSON.stringify({ toolCalls: 7, usage: [usage] }))).toMatchObject({
      kind: 'malformed',
      usage: [usage],
    });
  });
});

it('members that nobody knows are tolerated, and an empty reasoning is none', () => {
  const turn = parseTurn(JSON.stringify({ output: null, extra: 1, reasoning: '', toolCalls: [] }));
  expect(turn).toEqual({ kind: 'output', output: null, refused: false, usage: [] });
});

it('any text is read as one of the three kinds, without an exception', () => {
  const member = fc.constantFrom(
    'output',
    'toolCalls',
    'usage',
    'confidence',
    'reasoning',
    'refused',
    'state',
  );
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(text, (answer) => {
      expect(['calls', 'output', 'malformed']).toContain(parseTurn(answer).kind);
    }),
  );
});

it('JSON that nests without end is refused rather than followed', () => {
  const text = `{"output":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  expect(parseTurn(text)).toMatchObject({
    kind: 'malformed',
    reason: expect.stringContaining('deeper than'),
  });
});

it('calls of one turn are answered one after another, under the names the agent gave them', async () => {
  const requests: { turn: number; state?: unknown; toolResults?: unknown }[] = [];
  const calls = ['z', 'a', 'm'].map((callId) => ({ ...call, callId, inputs: { callId } }));
  const answers = [
    { toolCalls: calls, state: { secret: [1] }, reasoning: 'let me look' },
    { output: 'done', confidence: 1 },
  ];
  let busy = 0;
  const host = recordingHost();
  const answer = await takeTurns(
    invocationOf('hi'),
    {
      ...host,
      async callTool(toolId, inputs) {
        busy += 1;
        expect(busy).toBe(1);
        const result = await host.callTool(toolId, inputs);
        busy -= 1;
        return result;
      },
    },
    async (request) => {
      requests.push(JSON.parse(request));
      return { kind: 'text', text: JSON.stringify(answers[requests.length - 1]) };
    },
  );
  expect(answer).toEqual({ kind: 'answered', output: 'done', confidence: 1 });
  expect(requests[0]).not.toHaveProperty('state');
  expect(requests[1]).toMatchObject({
    turn: 1,
    state: { secret: [1] },
    toolResults: ['z', 'a', 'm'].map((callId) => ({
      callId,
      toolId: 'local:kb.search',
      status: 'ok',
      outcome: { found: { callId } },
    })),
  });
  expect(host.reasoning).toEqual(['let me look']);
});

it('an agent that never comes to an answer fails after 64 turns', async () => {
  let turns = 0;
  const answer = await takeTurns(invocationOf('hi'), recordingHost(), async () => {
    turns += 1;
    return { kind: 'text', text: JSON.stringify({ toolCalls: [call] }) };
  });
  expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringContaining('64 turns') });
  expect(turns).toBe(64);
});
