import { asId, type RunId } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { completed, decided, scored, started, summary } from '../testing/events.js';
import { numbered, recordedRuns } from '../testing/recorded-runs.js';
import { comparableLine, logDigest } from './log-normalisation.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const line = (event: object, runId = 'run-1', sequence = 3): string =>
  comparableLine(numbered(runId, event as NewEvent, sequence));
const at = (type: string, payload: object): object => ({ type, at: 1, payload });

it('is one line, whatever is in the event', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.json(), (node, json) => {
      const event = { ...at('agent.decided', { decision: JSON.parse(json) }), nodeId: node };
      expect(line(event)).not.toMatch(/[\n\r]/);
    }),
  );
});

it('knows neither the run, the time nor the engine, and knows place, type, node and payload', () => {
  const event = decided('t', 'x');
  expect(line(event, 'run-of-another-name')).toBe(line({ ...event, at: 99 }));
  expect(line(event, 'run-1', 4)).not.toBe(line(event));
  expect(line({ ...event, nodeId: 'u' })).not.toBe(line(event));
  expect(line({ ...event, type: 'agent.reasoned' })).not.toBe(line(event));
  expect(line(decided('t', 'y'))).not.toBe(line(event));
});

it('does not depend on the order of members', () => {
  expect(line(at('agent.decided', { decision: { a: 1, b: 2 }, agentId: 'x' }))).toBe(
    line(at('agent.decided', { agentId: 'x', decision: { b: 2, a: 1 } })),
  );
});

const outputs = (latencyMs: number, diffRef: string) => ({
  ...summary,
  tasks: [{ ...summary.tasks[0], latencyMs }],
  regression: { baselineRunId: 'run-0', scoreDelta: 0, diffRef },
});

it.each([
  ['run.completed', { durationMs: 1 }, { durationMs: 2 }],
  ['run.completed', { outputs: outputs(1, '/v1/runs/a') }, { outputs: outputs(2, '/v1/runs/b') }],
  ['run.failed', { error: {}, durationMs: 1 }, { error: {} }],
  ['run.cancelled', { durationMs: 1 }, { durationMs: 2 }],
  ['node.completed', { nodeId: 'n', durationMs: 1 }, { nodeId: 'n', durationMs: 2 }],
  ['agent.toolReturned', { status: 'ok', durationMs: 1 }, { status: 'ok', durationMs: 2 }],
  ['eval.scored', { score: 1, latencyMs: 1 }, { score: 1, latencyMs: 2 }],
])('leaves out what the clock said in %s', (type, one, other) => {
  expect(line(at(type, one))).toBe(line(at(type, other)));
});

const clocks = (ms: number) => ({
  latencyMs: ms,
  durationMs: ms,
  tasks: [{ latencyMs: ms }],
  diffRef: `${ms}`,
});
it.each([
  ['agent.decided', (ms: number) => ({ decision: clocks(ms) })],
  ['agent.decided', (ms: number) => ({ decision: outputs(ms, 'x') })],
  ['agent.toolCalled', (ms: number) => ({ inputs: clocks(ms) })],
  ['agent.toolReturned', (ms: number) => ({ outcome: clocks(ms) })],
  ['agent.toolReturned', (ms: number) => ({ latencyMs: ms })],
  ['node.completed', (ms: number) => ({ outputs: clocks(ms) })],
  ['run.completed', (ms: number) => ({ outputs: { output: clocks(ms) } })],
  ['run.completed', (ms: number) => ({ outputs: { output: outputs(ms, 'x') } })],
  ['run.started', (ms: number) => ({ inputs: clocks(ms), metadata: clocks(ms) })],
  ['eval.scored', (ms: number) => ({ durationMs: ms })],
])('compares members of the same names where they are content, in %s', (type, payload) => {
  expect(line(at(type, payload(1)))).not.toBe(line(at(type, payload(2))));
});

it('still compares the rest of a scorecard', () => {
  const done = (change: object) => line(at('run.completed', { outputs: { ...outputs(1, 'x'), ...change } }));
  expect(done({ aggregateScore: 0 })).not.toBe(done({}));
  expect(done({ tasks: [{ ...summary.tasks[0], score: 0 }] })).not.toBe(done({}));
  expect(done({ regression: { baselineRunId: 'run-9', scoreDelta: 0 } })).not.toBe(done({}));
});

it('digests of equal logs are equal, at every length; one other event makes another digest', async () => {
  const logOf = (length: number): NewEvent[] => [
    started,
    ...Array.from({ length }, (_, index) => scored(`t-${index}`)),
    completed,
  ];
  const digests = new Set<string>();
  for (const length of [0, 1, 62, 63, 200]) {
    const events = logOf(length);
    const last = at('run.completed', { outputs: { output: 1 } }) as NewEvent;
    const store = recordedRuns({
      one: { events },
      another: { events: logOf(length) },
      third: { events: events.with(-1, last) },
    });
    const digest = (runId: string) => logDigest(store, OWNER, asId<RunId>(runId));
    const one = await digest('one');
    expect(one).toEqual({ events: length + 2, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect(await digest('another')).toEqual(one);
    digests.add(one.digest).add((await digest('third')).digest);
  }
  expect(digests.size).toBe(10);
});
