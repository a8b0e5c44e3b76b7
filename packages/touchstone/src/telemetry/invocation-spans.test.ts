import { type AgentId, asId, type InvocationId, type RunId, type Version } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import type { TaskRecord } from '../ports/index.js';
import { type RunFacts, spansOf } from './invocation-spans.js';
import { invocationRef, runRef } from './trace-ids.js';

const runId = asId<RunId>('run-1');
const agentId = asId<AgentId>('local.acme.desk');
const run: RunFacts = {
  runId,
  invokedIn: runId,
  suite: { suiteId: 'local.acme.evals.desk', version: '1.0.0' },
  agent: { agentId, version: asId<Version>('1.0.0'), kind: 'http' },
};
const facts = { taskId: 'late', toolSource: 'live', conversationId: 'run-x' } as const;

const usage = (model: string, call?: object): NewEvent =>
  ({
    type: 'provider.usage',
    at: 1_500,
    payload: { provider: 'local', model, inputTokens: 10, outputTokens: 2 },
    ...(call && { call }),
  }) as unknown as NewEvent;
const tool = (type: string, at: number, more: object): NewEvent =>
  ({ type, at, payload: { agentId, toolName: 'shop:orders.get', callId: 'inv-0.0.0', ...more } }) as NewEvent;

/** An invocation of a second, with these events in it and after it. */
const recordOf = (inside: readonly NewEvent[], after: readonly NewEvent[] = []): TaskRecord => {
  const invocationId = asId<InvocationId>('inv-0.0');
  const started = { invocationId, agentId, source: 'run-api' };
  return {
    ordinal: 0,
    repeat: 0,
    events: [
      { type: 'agent.invocation.started', at: 1_000, payload: started } as NewEvent,
      ...inside,
      {
        type: 'agent.invocation.completed',
        at: 2_000,
        payload: { invocationId, agentId, outcome: 'completed' },
      } as NewEvent,
      ...after,
    ],
  };
};

describe('a model call', () => {
  it.each([
    ['of the agent', 'agent', 'chat small-1'],
    ['of the simulated user', 'user', 'chat small-1'],
    ['of the judge', 'judge', 'chat small-1'],
    ['that compares meanings', 'embedder', 'embeddings small-1'],
  ])('%s has its role and the time that was measured', (_, by, name) => {
    const call = { by, startedAt: 1_200, durationMs: 300 };
    const [invocation, span] = spansOf(run, recordOf([usage('small-1', call)]), facts);
    expect(span).toMatchObject({
      name,
      parentId: invocation?.spanId,
      from: 1_200,
      until: 1_500,
      attributes: { 'touchstone.role': by },
    });
    expect(span?.attributes).not.toHaveProperty('touchstone.untimed');
  });

  it('of a record of before they were measured is a moment, and its place says whose it was', () => {
    const spans = spansOf(run, recordOf([usage('a')], [usage('b')]), facts).slice(1);
    expect(spans.map(({ from, until, attributes: a }) => [from, until, a['touchstone.role']])).toEqual([
      [1_500, 1_500, 'agent'],
      [1_500, 1_500, 'judge'],
    ]);
    expect(spans.every(({ attributes }) => attributes['touchstone.untimed'] === true)).toBe(true);
  });

  it('of a model whose name is no name is not named', () => {
    const [, span] = spansOf(run, recordOf([usage('my secret is 42')]), facts);
    expect(JSON.stringify(span)).not.toContain('secret');
    expect(span?.name).toBe('chat (unnamed)');
  });
});

it('a tool call that the agent made itself is observed, and nobody knows how long it took', () => {
  const events = [
    tool('agent.toolCalled', 1_100, { observed: true }),
    tool('agent.toolReturned', 1_100, { status: 'ok', observed: true }),
  ];
  const [, span] = spansOf(run, recordOf(events), facts);
  expect(span?.attributes).toMatchObject({
    'touchstone.tool.source': 'observed',
    'touchstone.untimed': true,
  });
});

it('answers that are judged again add to the trace of the first run, and tell only what is new', () => {
  const first = recordOf([usage('agent-1')], [usage('judge-1', { by: 'judge' })]);
  const again = asId<RunId>('run-2');
  const spans = spansOf({ ...run, runId: again, invokedIn: runId }, first, facts);
  const { traceId, spanId } = invocationRef(runId, asId<InvocationId>('inv-0.0'));
  expect(spans).toMatchObject([{ name: 'chat judge-1', traceId, parentId: spanId }]);
  const before = spansOf(run, first, facts).map((span) => span.spanId);
  expect(before).not.toContain(spans[0]?.spanId);
});

it('an agent run has a trace, and no run to link to', () => {
  const { suite: _, ...alone } = run;
  expect(spansOf(alone, recordOf([]), facts)).toMatchObject([{ kind: 'client', links: [] }]);
  expect(spansOf(run, recordOf([]), facts)).toMatchObject([{ links: [runRef(runId)] }]);
});
