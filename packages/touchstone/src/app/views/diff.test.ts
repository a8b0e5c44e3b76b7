import { asId, type Digest, type RunId, type SuiteId, type Version } from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import { check } from '@touchstone/protocol/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { systemClock } from '../system.js';
import { completed, decided, scored, started } from '../testing/events.js';
import { append } from '../testing/fake-engine.js';
import { type RecordedRun, recordedRuns } from '../testing/recorded-runs.js';
import { diffRuns, type RunDiff } from './diff.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const A = asId<RunId>('run-a');
const B = asId<RunId>('run-bb');

/** The diff of two runs both ways round; both must be what the wire describes. */
async function diffBothWays(a: RecordedRun, b: RecordedRun): Promise<{ there: RunDiff; back: RunDiff }> {
  const parts = recordedRuns({ [A]: a, [B]: b });
  const [there, back] = [await diffRuns(parts, OWNER, A, B), await diffRuns(parts, OWNER, B, A)];
  for (const diff of [there, back]) expect(check('run-diff-response', diff)).toEqual([]);
  return { there, back };
}
const diffLogs = async (a: readonly NewEvent[], b: readonly NewEvent[]) =>
  (await diffBothWays({ events: a }, { events: b })).there;

const OPPOSITE = { added: 'removed', removed: 'added', changed: 'changed' } as const;
const turned = (diff: RunDiff): RunDiff => ({
  ...diff,
  a: diff.b,
  b: diff.a,
  eventDiffs: diff.eventDiffs.map(({ seq, op, aEvent, bEvent }) => ({
    seq,
    op: OPPOSITE[op],
    ...(bEvent && { aEvent: bEvent }),
    ...(aEvent && { bEvent: aEvent }),
  })),
  stateDiff: Object.fromEntries(
    Object.entries(diff.stateDiff as { [name: string]: { a: unknown; b: unknown } }).map(
      ([name, { a, b }]) => [name, { a: b, b: a }],
    ),
  ),
});

const anEvent = fc.oneof(
  fc.constant(started),
  fc.constant(completed),
  fc.integer({ min: 0, max: 2 }).map((task) => scored(`t-${task}`)),
  fc.integer({ min: 0, max: 2 }).map((answer) => decided('t', answer)),
);
const aStatus = fc.constantFrom('running', 'completed', 'failed', 'cancelled', 'paused');
const aRun = fc.record({ events: fc.array(anEvent, { maxLength: 150 }), status: aStatus });

describe('the laws', () => {
  it('a run does not differ from itself, nor from one that did the same at another time', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, fc.nat(), async (run, later) => {
        const again = { ...run, events: run.events.map((event) => ({ ...event, at: event.at + later })) };
        const { there } = await diffBothWays(run, again);
        const self = await diffRuns(recordedRuns({ [A]: run }), OWNER, A, A);
        for (const diff of [there, self])
          expect(diff).toMatchObject({ divergedAtSeq: null, eventDiffs: [], stateDiff: {} });
      }),
      { numRuns: 50 },
    );
  });

  it('turned around, it is the same diff; it begins where the runs part; every place is told once and rightly', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, aRun, fc.nat({ max: 150 }), async (run, other, shared) => {
        const b = { ...other, events: [...run.events.slice(0, shared), ...other.events] };
        const { there, back } = await diffBothWays(run, b);
        expect(back).toEqual(turned(there));
        expect(there.divergedAtSeq).toBe(there.eventDiffs[0]?.seq ?? null);
        const length = Math.max(run.events.length, b.events.length);
        const differing = Array.from({ length }, (_, seq) => seq).filter(
          (seq) => JSON.stringify(run.events[seq]) !== JSON.stringify(b.events[seq]),
        );
        expect(there.eventDiffs.map(({ seq }) => seq)).toEqual(differing);
        for (const { seq, op, aEvent, bEvent } of there.eventDiffs) {
          expect(op).toBe(!run.events[seq] ? 'added' : b.events[seq] ? 'changed' : 'removed');
          expect([aEvent?.runId, bEvent?.runId]).toEqual([run.events[seq] && A, b.events[seq] && B]);
        }
        const over = [run.status, b.status].every((status) => !['running', 'paused'].includes(status));
        expect(there.truncated).toBe(over ? undefined : true);
      }),
      { numRuns: 100 },
    );
  });
});

describe('what differs', () => {
  it('a longer run goes on where the shorter one ended', async () => {
    const diff = await diffLogs([started], [started, scored('t'), completed]);
    expect(diff.divergedAtSeq).toBe(1);
    expect(diff.eventDiffs.map(({ seq, op }) => [seq, op])).toEqual([
      [1, 'added'],
      [2, 'added'],
    ]);
  });

  it('only the clock does not count, and only where it is one', async () => {
    const timed = (ms: number): NewEvent[] => [
      started,
      { ...scored('t'), payload: { ...scored('t').payload, latencyMs: ms } } as NewEvent,
      { ...completed, payload: { durationMs: ms } } as NewEvent,
    ];
    const told = (ms: number) => decided('t', `{"latencyMs":${ms}}`);
    expect((await diffLogs(timed(1), timed(2))).eventDiffs).toEqual([]);
    expect((await diffLogs([...timed(1), told(1)], [...timed(2), told(2)])).divergedAtSeq).toBe(3);
  });

  it('how the runs ended and what they were runs of, in names and codes', async () => {
    const error = { code: 'agent_failed', message: 'It said something private.' } as const;
    const pin = { suiteId: asId<SuiteId>('core.acme.evals.echo'), version: asId<Version>('1.0.0') };
    const evalPlan = (agentVersion: string, suite: string): Partial<Run> => ({
      workflowId: pin.suiteId,
      plan: {
        kind: 'eval',
        suite: { ...pin, digest: asId<Digest>(suite) },
        agent: { agentId: asId('local.acme.echo'), version: asId(agentVersion), digest: asId('sha256:1') },
        modes: ['golden'],
        totalTasks: 1,
        repeats: 1,
        concurrency: 1,
      },
    });
    const state = async (a: Partial<RecordedRun>, b: Partial<RecordedRun>) =>
      (await diffBothWays({ events: [], ...a }, { events: [], ...b })).there.stateDiff;
    expect(await state({ status: 'failed', row: { error } }, {})).toEqual({
      status: { a: 'failed', b: 'completed' },
      error: { a: 'agent_failed', b: null },
    });
    expect(
      await state({ row: evalPlan('1.0.0', 'sha256:1') }, { row: evalPlan('1.1.0', 'sha256:2') }),
    ).toEqual({
      agent: { a: 'local.acme.echo@1.0.0', b: 'local.acme.echo@1.1.0' },
      suite: { a: 'sha256:1', b: 'sha256:2' },
    });
    expect(
      await state({}, { row: { workflowId: 'w', plan: { kind: 'workflow', workflowId: 'w' } } }),
    ).toEqual({
      workflowId: { a: 'local.acme.echo', b: 'w' },
      agent: { a: 'local.acme.echo@1.0.0', b: null },
    });
  });

  it('a run of somebody else is as absent as one that never was', async () => {
    const parts = recordedRuns({ [A]: { events: [] } });
    const refusal = { code: 'not_found', message: 'There is no such run.' };
    await expect(diffRuns(parts, OWNER, A, B)).rejects.toMatchObject(refusal);
    await expect(diffRuns(parts, OWNER, B, A)).rejects.toMatchObject(refusal);
    await expect(diffRuns(parts, { ...OWNER, tenant: 'rival' }, A, A)).rejects.toMatchObject(refusal);
  });
});

describe('when there is too much to tell', () => {
  const long = (count: number, answer: string): NewEvent[] =>
    Array.from({ length: count }, () => decided('t', answer));

  it('a thousand differences are told, and no further event is read', async () => {
    const exactly = await diffBothWays({ events: long(1_000, 'x') }, { events: long(1_000, 'y') });
    expect([exactly.there.eventDiffs.length, exactly.there.truncated]).toEqual([1_000, undefined]);
    const parts = recordedRuns({ [A]: { events: long(50_000, 'x') }, [B]: { events: [started] } });
    const diff = await diffRuns(parts, OWNER, A, B);
    expect([diff.eventDiffs.length, diff.truncated]).toEqual([1_000, true]);
    expect(parts.handedOut()).toBeLessThan(1_200);
  });

  it('the same places are told both ways round, however uneven the sizes', async () => {
    const sizes = fc.array(fc.tuple(fc.nat({ max: 900_000 }), fc.nat({ max: 900_000 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, async (pairs) => {
        const side = (index: 0 | 1) =>
          pairs.map((pair) => decided('t', `${index}${'x'.repeat(pair[index])}`));
        const { there, back } = await diffBothWays({ events: side(0) }, { events: side(1) });
        expect(back).toEqual(turned(there));
        expect(Buffer.byteLength(JSON.stringify(there))).toBeLessThan(4_100_000);
        const bare = there.eventDiffs.filter(({ aEvent, bEvent }) => !aEvent && !bEvent);
        expect(bare).toEqual(there.truncated ? [there.eventDiffs.at(-1)] : []);
        if (!there.truncated) expect(there.eventDiffs).toHaveLength(pairs.length);
      }),
      { numRuns: 25 },
    );
  });

  it('a first difference that is too large is named all the same', async () => {
    const diff = await diffLogs([started, decided('t', 'x'.repeat(5_000_000))], [started]);
    expect(diff).toMatchObject({
      divergedAtSeq: 1,
      eventDiffs: [{ seq: 1, op: 'removed' }],
      truncated: true,
    });
  });
});

it('reads stored runs: the events are those that clients read, and what comes after the look is left alone', async () => {
  const store = await createMemoryStore(systemClock);
  for (const runId of [A, B]) {
    const plan = { kind: 'workflow', workflowId: 'w' } as const;
    const request = { inputs: toBody({}) };
    const facts = {
      principal: 'ci',
      origin: 'host',
      workflowId: 'w',
      createdAt: 1,
      engineVersion: 1,
    } as const;
    await store.runs.create({ runId, owner: OWNER, plan, request, ...facts });
    await append(store, OWNER, runId, [started, decided('t', runId)], 'running');
  }
  const runs: typeof store.runs = {
    ...store.runs,
    async get(owner, runId) {
      const run = await store.runs.get(owner, runId);
      if (runId === B) await append(store, OWNER, B, [completed], 'completed');
      return run;
    },
  };
  const diff = await diffRuns({ runs, log: store.log }, OWNER, A, B);
  const [aEvent] = await store.log.read(OWNER, A, 0, 1);
  const [bEvent] = await store.log.read(OWNER, B, 0, 1);
  expect(diff).toEqual({
    a: A,
    b: B,
    divergedAtSeq: 1,
    eventDiffs: [{ seq: 1, op: 'changed', aEvent, bEvent }],
    stateDiff: {},
    truncated: true,
  });
  await store.close();
});
