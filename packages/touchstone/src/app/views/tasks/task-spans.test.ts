import { asId, type RunId } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { spansOf } from './task-spans.js';

const runId = asId<RunId>('run-1');
const usage = { provider: 'p', model: 'm', inputTokens: 3, outputTokens: 2 };
const event = (type: string, at: number, payload: object = {}, more: object = {}): NewEvent =>
  ({ type, at, payload, ...more }) as unknown as NewEvent;
const recordOf = (...events: readonly NewEvent[]) => ({ ordinal: 0, repeat: 1, events });
const origin = { runId, firstSequence: 7, isRejudged: false };

const started = event('agent.invocation.started', 1_000);
const completed = event('agent.invocation.completed', 3_000);

describe('the spans of a record', () => {
  it('begin when the call was made, not when it was told', () => {
    const call = { by: 'agent', startedAt: 1_250, durationMs: 600 };
    const spans = spansOf(
      recordOf(started, event('provider.usage', 1_900, usage, { call }), completed),
      origin,
    );
    expect(spans).toEqual([
      {
        kind: 'model',
        repeat: 1,
        name: 'p/m',
        startMs: 250,
        durationMs: 600,
        tokens: { input: 3, output: 2 },
        eventId: 'run-1:8',
      },
    ]);
  });

  it('of before calls were measured are told by their place, and say that nobody measured them', () => {
    const old = recordOf(
      started,
      event('provider.usage', 1_900, usage),
      completed,
      event('provider.usage', 4_000, usage),
    );
    expect(spansOf(old, { ...origin, firstSequence: undefined })).toMatchObject([
      { kind: 'model', startMs: 900, durationMs: 0, untimed: true },
      { kind: 'judge', startMs: 3_000, durationMs: 0, untimed: true },
    ]);
  });

  it('name the embedder, the simulated user, tools and memory', () => {
    const toolCalled = event('agent.toolCalled', 1_100, { callId: 'c', toolName: 'local:t' });
    const toolReturned = event('agent.toolReturned', 1_400, {
      callId: 'c',
      toolName: 'local:t',
      status: 'error',
      durationMs: 300,
    });
    const memory = event('memory.written', 1_500, { memoryRef: 'long-term:a' });
    const user = { by: 'user', startedAt: 1_600, durationMs: 50 };
    const embedder = { by: 'embedder', startedAt: 3_100, durationMs: 20 };
    const spans = spansOf(
      recordOf(
        started,
        toolCalled,
        toolReturned,
        memory,
        completed,
        event('provider.usage', 3_000, usage, { call: user }),
        event('provider.usage', 3_200, usage, { call: embedder }),
      ),
      origin,
    );
    expect(spans).toMatchObject([
      { kind: 'tool', name: 'local:t', startMs: 100, durationMs: 300, status: 'error', eventId: 'run-1:8' },
      { kind: 'memory', name: 'long-term:a', startMs: 500, durationMs: 0 },
      { kind: 'model', simulatedUser: true, startMs: 600, durationMs: 50 },
      { kind: 'embedder', startMs: 2_100, durationMs: 20 },
    ]);
  });

  it('of a judge who was asked months later follow the answer', () => {
    const call = { by: 'judge', startedAt: 9_000_000, durationMs: 40 };
    const record = recordOf(started, completed, event('provider.usage', 9_000_040, usage, { call }));
    expect(spansOf(record, { ...origin, isRejudged: true })).toMatchObject([
      { kind: 'judge', startMs: 2_000, durationMs: 40 },
    ]);
  });
});
