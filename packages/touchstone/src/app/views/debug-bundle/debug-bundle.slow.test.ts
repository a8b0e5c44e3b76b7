import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AnnotationId,
  asId,
  type EventId,
  type ModelName,
  type PrincipalId,
  RUN_STATUSES,
  type RunError,
  type RunId,
  type RunStatus,
  type ToolId,
} from '@touchstone/protocol';
import { type NewEvent, type RunEvent, toBody } from '@touchstone/protocol/bodies';
import { check } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Annotation, NewRun, Store } from '../../../ports/index.js';
import { createMemoryStore } from '../../../store/index.js';
import { completed, decided, invoked, scored, started } from '../../testing/events.js';
import { append } from '../../testing/fake-engine.js';
import { createManualClock } from '../../testing/manual-clock.js';
import { logEvents } from '../log-normalisation.js';
import { buildDebugBundle, type DebugBundle } from './debug-bundle.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const RUN = asId<RunId>('run-1');
const SECRET = 'sk-0123456789abcdef';
const LIMIT = 8_000_000;

let store: Store;
beforeEach(async () => {
  store = await createMemoryStore(createManualClock());
});
afterEach(() => store.close());

const agent = { agentId: asId('local.acme.echo'), version: asId('1.0.0'), digest: asId('sha256:0') } as const;
async function create(change: Partial<NewRun> = {}): Promise<void> {
  await store.runs.create({
    runId: RUN,
    owner: OWNER,
    principal: 'ci',
    origin: 'host',
    workflowId: 'local.acme.echo',
    plan: { kind: 'agent', agent } as NewRun['plan'],
    request: {},
    createdAt: 1_000,
    engineVersion: 1,
    ...change,
  });
}
const annotate = async (...all: readonly Annotation[]): Promise<void> => {
  for (const annotation of all) await store.annotations.add(OWNER, annotation);
};
const record = (events: readonly NewEvent[], status?: RunStatus) => append(store, OWNER, RUN, events, status);

const parts = () => ({
  store,
  clock: createManualClock(),
  version: '1.2.3',
  mask: async (text: string) => text.replaceAll(SECRET, '[secret]'),
});

/** Every bundle is what the wire describes, counts its own events and stays within the limit. */
async function bundle(): Promise<DebugBundle> {
  const built = await buildDebugBundle(parts(), OWNER, RUN);
  expect(check('debug-bundle', built)).toEqual([]);
  expect(built.metrics?.eventCount).toBe(built.events.length);
  expect(Buffer.byteLength(JSON.stringify(built))).toBeLessThanOrEqual(LIMIT);
  for (const annotation of built.annotations) expect(check('annotation', annotation)).toEqual([]);
  return built;
}

const remark = (id: number, note: string): Annotation => ({
  annotationId: asId<AnnotationId>(`ann-${id}`),
  runId: RUN,
  eventId: asId<EventId>(`${RUN}:2`),
  nodeId: 't',
  signal: { kind: 'correction', correction: note },
  note,
  by: asId<PrincipalId>('viewer'),
  at: 5_000,
});

it('holds the run, its whole log as it is read elsewhere, and what people said about it', async () => {
  await create();
  await record([started, invoked('t'), decided('t', 'An answer.'), scored('t'), scored('u')], 'running');
  const usage = {
    provider: asId<ModelName>('p'),
    model: asId<ModelName>('m'),
    inputTokens: 1,
    outputTokens: 1,
  };
  await store.ledger.record(OWNER, RUN, [{ ...usage, costUsd: 0.25 }]);
  await record([completed], 'completed');
  await annotate(remark(1, 'It should say more.'), { ...remark(2, ''), signal: { kind: 'flag' } });
  expect(await bundle()).toEqual({
    bundleVersion: '1.0',
    generatedAt: '2023-11-14T22:13:20.000Z',
    host: { name: 'touchstone', version: '1.2.3', vendor: 'touchstone' },
    run: expect.objectContaining({
      runId: RUN,
      workflowId: 'local.acme.echo',
      status: 'completed',
      startedAt: '1970-01-01T00:00:01.000Z',
      endedAt: '1970-01-01T00:00:02.000Z',
      metrics: { openwopCost: { usd: 0.25 } },
    }),
    events: await store.log.read(OWNER, RUN, -1, 100),
    annotations: [
      {
        annotationId: 'ann-1',
        target: { runId: RUN, eventId: `${RUN}:2`, nodeId: 't' },
        signal: { kind: 'correction', correction: 'It should say more.' },
        actor: { principalRef: 'viewer' },
        createdAt: '1970-01-01T00:00:05.000Z',
        note: 'It should say more.',
      },
      expect.objectContaining({ annotationId: 'ann-2', signal: { kind: 'flag' } }),
    ],
    redactionApplied: true,
    redactionMode: 'mask',
    metrics: { eventCount: 6, nodeCount: 2, openwopCost: { usd: 0.25 } },
  });
});

it('no secret leaves in it, wherever it was written', async () => {
  const [text, inputs] = [`Use ${SECRET}, please.`, toBody({ [SECRET]: SECRET })];
  const metadata = { why: [text], password: 'plain words' };
  await create({ request: { inputs, tags: [SECRET], metadata, configurable: { deep: { er: text } } } });
  const error: RunError = { code: 'agent_failed', message: text, details: { hint: SECRET } };
  const call = {
    agentId: agent.agentId,
    toolName: asId<ToolId>('local:kb'),
    callId: asId('inv-0.0.0'),
  } as const;
  await record([
    {
      ...started,
      payload: { workflowId: 'w', inputs, tags: [SECRET], metadata: toBody(metadata) },
    } as NewEvent,
    { type: 'agent.reasoned', at: 1, payload: { agentId: agent.agentId, reasoning: text } } as NewEvent,
    { type: 'agent.toolCalled', at: 1, payload: { ...call, inputs } } as NewEvent,
    { type: 'agent.toolReturned', at: 1, payload: { ...call, status: 'ok', outcome: inputs } } as NewEvent,
    decided('t', text),
    { type: 'run.failed', at: 2, payload: { error } },
  ]);
  const lease = await store.leases.take(OWNER, RUN, 60_000);
  if (!lease) throw new Error('The test could not take the lease.');
  await store.log.commit(lease, { firstSequence: 6, run: { status: 'failed', error, completedAt: 2_000 } });
  await annotate(remark(1, text));
  const built = await bundle();
  expect(JSON.stringify(built)).not.toContain(SECRET);
  expect(JSON.stringify(built)).not.toContain('plain words');
  expect(built.run).toMatchObject({
    inputs: { '[secret]': '[secret]' },
    tags: ['[secret]'],
    metadata: { why: ['Use [secret], please.'] },
    configurable: { deep: { er: 'Use [secret], please.' } },
    error: { code: 'agent_failed', message: 'Use [secret], please.' },
  });
  expect(built.events).toHaveLength(6);
  expect(built.annotations[0]).toMatchObject({ note: 'Use [secret], please.' });
});

it.each(RUN_STATUSES)(
  'a run that is %s is called what the bundle has a word for, and by its own word',
  async (status) => {
    await create();
    await record([started], status);
    const { run } = await bundle();
    const words: { [status: string]: string } = { 'waiting-input': 'waiting-clarification' };
    for (const busy of ['paused', 'cancelling', 'waiting-external']) words[busy] = 'running';
    expect(run).toMatchObject({ status: words[status] ?? status, touchstone: { status } });
  },
);

it('the log of a run that is too large ends early, after a whole event, and the bundle says where', async () => {
  await create();
  await record([started, ...Array.from({ length: 300 }, (_, i) => decided(`t-${i}`, 'ü'.repeat(20_000)))]);
  const built = await bundle();
  const kept = built.events.length;
  const log: RunEvent[] = [];
  for await (const event of logEvents(store.log, OWNER, RUN, kept)) log.push(event);
  expect(built.events).toEqual(log);
  expect(built).toMatchObject({ truncated: true, metrics: { nodeCount: kept - 1 } });
  expect(built.truncatedReason).toBe(
    `A bundle holds at most ${LIMIT} bytes, 1000000 of them annotations. Left out: events from sequence ${kept} on.`,
  );
  expect(Buffer.byteLength(JSON.stringify(built))).toBeGreaterThan(LIMIT - 100_000);
});

it('nothing after the end is read', async () => {
  await create();
  await record([started]);
  for (let i = 0; i < 20; i++)
    await record(Array.from({ length: 50 }, () => decided('t', 'x'.repeat(100_000))));
  let read = 0;
  const { store: whole, ...rest } = parts();
  const log: typeof store.log = {
    ...store.log,
    async read(...asked) {
      const page = await store.log.read(...asked);
      read += page.length;
      return page;
    },
  };
  const built = await buildDebugBundle({ ...rest, store: { ...whole, log } }, OWNER, RUN);
  expect(built.truncated).toBe(true);
  expect(read).toBeLessThan(250);
});

describe('what finds no room', () => {
  /** The texts that were searched for secrets, by their beginnings. */
  async function searched(): Promise<{ built: DebugBundle; beginnings: ReadonlySet<string> }> {
    const beginnings = new Set<string>();
    const mask = (text: string) => {
      beginnings.add(text.slice(0, 12));
      return text;
    };
    return { built: await buildDebugBundle({ ...parts(), mask }, OWNER, RUN), beginnings };
  }

  it('is left out by name, and nobody searches it', async () => {
    const long = (name: string) => ({ text: `of ${name}, ${'x'.repeat(LIMIT)}` });
    const inputs = toBody(long('inputs'));
    await create({
      request: {
        inputs,
        metadata: long('metadata'),
        configurable: { a: long('settings') },
        tags: ['a small tag'],
      },
    });
    await record([{ ...started, payload: { workflowId: 'w', inputs } } as NewEvent], 'running');
    const { built, beginnings } = await searched();
    expect(built.run).toMatchObject({ tags: ['a small tag'], endedAt: null });
    expect(Object.keys(built.run)).not.toEqual(expect.arrayContaining(['inputs']));
    expect(built.truncatedReason).toMatch(
      /Left out: inputs, metadata, configurable, events from sequence 0 on\.$/,
    );
    expect([...beginnings].filter((text) => text.startsWith('of '))).toEqual([]);
    expect(beginnings).toContain('a small tag');
  });

  it('are never more than the newest remarks while the log has room, for they have a megabyte', async () => {
    await create();
    await record([started, ...Array.from({ length: 60 }, () => decided('t', 'x'.repeat(100_000)))]);
    const annotations = Array.from({ length: 100 }, (_, index) =>
      remark(index, `note ${index} ${'x'.repeat(50_000)}`),
    );
    await annotate(...annotations);
    const { built, beginnings } = await searched();
    expect(built.annotations.map(({ annotationId }) => annotationId)).toEqual(
      annotations.slice(0, 9).map(({ annotationId }) => annotationId),
    );
    expect(built.events).toHaveLength(61);
    expect(built.truncatedReason).toMatch(/Left out: the newest 91 annotations\.$/);
    expect([...beginnings].filter((text) => text.startsWith('note '))).toHaveLength(9);
  });
});

it('others get their turn every ten milliseconds, whatever there is to mask', async () => {
  // Goal: no more work between two turns of the event loop than ten milliseconds' worth. Method: each search takes one
  // millisecond of a clock that nothing else moves, and every turn notes how many searches came before it.
  const texts = Array.from({ length: 300 }, (_, index) => `text number ${index}`);
  await create({ request: { inputs: toBody({ texts, again: texts }) } });
  let elapsed = 0;
  let searches = 0;
  let isDone = false;
  const perTurn: number[] = [];
  const turn = (): void => {
    perTurn.push(searches);
    searches = 0;
    if (!isDone) setImmediate(turn);
  };
  const mask = (text: string) => {
    elapsed += 1;
    searches += 1;
    return text;
  };
  setImmediate(turn);
  const clock = { now: () => 0, elapsed: () => elapsed };
  await buildDebugBundle({ ...parts(), clock, mask }, OWNER, RUN);
  isDone = true;
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(20);
  expect(elapsed).toBeLessThan(320);
});

describe('the queue of bundles', () => {
  /** Bundles whose search for secrets lasts until it is released. */
  function blocked() {
    const releases: (() => void)[] = [];
    const mask = (text: string) => new Promise<string>((resolve) => releases.push(() => resolve(text)));
    const releaseAll = async (): Promise<void> => {
      while (releases.length > 0) {
        releases.splice(0).forEach((release) => void release());
        for (let i = 0; i < 10; i += 1) await nextTurn();
      }
    };
    const start = (signal?: AbortSignal) => buildDebugBundle({ ...parts(), mask }, OWNER, RUN, signal);
    return { start, releases, releaseAll };
  }
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i += 1) await nextTurn();
  };

  it('lets two bundles be made at a time; a caller that leaves has none made', async () => {
    await create({ request: { inputs: toBody({ text: 'of inputs' }) } });
    const { start, releases, releaseAll } = blocked();
    const leaving = new AbortController();
    const working = [start(), start()];
    const left = start(leaving.signal);
    const waiting = start();
    await settle();
    expect(releases).toHaveLength(2);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'unavailable' });
    await expect(start(leaving.signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(releases).toHaveLength(2);
    await releaseAll();
    for (const { run } of await Promise.all([...working, waiting])) expect(run.runId).toBe(RUN);
  });

  it('goes on after a bundle that failed, and after one whose caller left at its work', async () => {
    await create({ request: { inputs: toBody({ texts: ['of inputs', 'of others'] }) } });
    const { start, releaseAll } = blocked();
    const leaving = new AbortController();
    const absent = asId<RunId>('run-2');
    const failed = [1, 2, 3].map(() => buildDebugBundle(parts(), OWNER, absent));
    for (const one of failed) await expect(one).rejects.toMatchObject({ code: 'not_found' });
    const left = [start(leaving.signal), start(leaving.signal)];
    await settle();
    const waiting = start();
    leaving.abort();
    const refused = left.map((one) => expect(one).rejects.toMatchObject({ code: 'unavailable' }));
    await releaseAll();
    await Promise.all(refused);
    expect((await waiting).run.runId).toBe(RUN);
  });
});

it('a run of somebody else is as absent as one that never was', async () => {
  await create();
  const refusal = { code: 'not_found', message: 'There is no such run.' };
  await expect(buildDebugBundle(parts(), { ...OWNER, tenant: 'rival' }, RUN)).rejects.toMatchObject(refusal);
  await expect(buildDebugBundle(parts(), OWNER, asId<RunId>('run-2'))).rejects.toMatchObject(refusal);
});
