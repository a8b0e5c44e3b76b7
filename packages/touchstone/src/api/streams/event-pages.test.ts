import { asId, type RunId, type RunStatus } from '@touchstone/protocol';
import { eventIdOf, type RunEvent } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import type { Store } from '../../ports/index.js';
import { createEventPages, hasNews, isOver } from './event-pages.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const RUN = asId<RunId>('run-1');
const event = (sequence: number, pad = ''): RunEvent => ({
  eventId: eventIdOf(RUN, sequence),
  runId: RUN,
  type: 'run.resumed',
  payload: { reason: pad },
  timestamp: '2026-01-01T00:00:00.000Z',
  sequence,
  schemaVersion: 1,
  engineVersion: '1',
});

/** A store of one run. */
function setUp(events: RunEvent[]) {
  let reads = 0;
  const state = { status: 'running' as RunStatus };
  const store = {
    log: {
      async read(_owner: unknown, _runId: unknown, after: number, limit: number) {
        reads += 1;
        return events.filter(({ sequence }) => sequence > after).slice(0, limit);
      },
    },
    runs: {
      async head() {
        reads += 1;
        return { status: state.status, eventCount: events.length };
      },
    },
  };
  return { pages: createEventPages(store as unknown as Store), state, reads: () => reads };
}

it('readers at the same place share one reading, also one after the other', async () => {
  const { pages, reads } = setUp([event(0), event(1)]);
  const all = await Promise.all(Array.from({ length: 200 }, () => pages.read(OWNER, RUN, -1)));
  expect(new Set(all).size).toBe(1);
  expect(all[0]?.bytes(['debug'])).toBe(all[1]?.bytes(['debug']));
  await pages.read(OWNER, RUN, -1);
  expect(reads()).toBe(1);
});

it('owners do not share', async () => {
  const { pages, reads } = setUp([event(0)]);
  await pages.read(OWNER, RUN, -1);
  await pages.read({ ...OWNER, workspace: 'other' }, RUN, -1);
  expect(reads()).toBe(2);
});

it('an empty page is not remembered', async () => {
  const events: RunEvent[] = [];
  const { pages } = setUp(events);
  expect(await pages.read(OWNER, RUN, -1)).toMatchObject({ events: [], complete: false });
  events.push(event(0));
  expect((await pages.read(OWNER, RUN, -1)).events).toHaveLength(1);
});

it('how far a run is is looked up once for all who ask at the same time, and again later', async () => {
  const { pages, state, reads } = setUp([event(0)]);
  await Promise.all(Array.from({ length: 200 }, () => pages.head(OWNER, RUN)));
  expect(reads()).toBe(1);
  state.status = 'completed';
  expect(await pages.head(OWNER, RUN)).toEqual({ status: 'completed', eventCount: 1 });
});

it.each([
  ['running', 3, 2, { news: false, over: false }],
  ['running', 3, 1, { news: true, over: false }],
  ['running', 3, 9, { news: false, over: false }],
  ['completed', 3, 1, { news: true, over: false }],
  ['completed', 3, 2, { news: false, over: true }],
  ['failed', 3, 9, { news: false, over: true }],
] as const)('a %s run of %i events, read up to %i', (status, eventCount, after, expected) => {
  const head = { status, eventCount };
  expect({ news: hasNews(head, after), over: isOver(head, after) }).toEqual(expected);
});

it('a run that has been removed is over', () => {
  expect([hasNews(undefined, -1), isOver(undefined, -1)]).toEqual([false, true]);
});

it('what is remembered is bounded', async () => {
  const large = Array.from({ length: 2_000 }, (_, sequence) => event(sequence, 'x'.repeat(10_000)));
  const { pages, reads } = setUp(large);
  for (let after = -1; after < 1_900; after += 200) await pages.read(OWNER, RUN, after);
  expect(reads()).toBe(10);
  await pages.read(OWNER, RUN, -1);
  expect(reads()).toBe(11);
});

it('a failed reading is tried again', async () => {
  const outcomes = [Promise.reject(new Error('busy')), Promise.resolve([event(0)])];
  const store = { log: { read: () => outcomes.shift() }, runs: {} } as unknown as Store;
  const pages = createEventPages(store);
  await expect(pages.read(OWNER, RUN, -1)).rejects.toThrow('busy');
  expect((await pages.read(OWNER, RUN, -1)).events).toHaveLength(1);
});
