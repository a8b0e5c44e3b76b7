import { asId, type RunId, type RunStatus } from '@touchstone/protocol';
import { eventIdOf, type RunEvent } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import type { Run, Store } from '../../ports/index.js';
import { createEventPages } from './event-pages.js';

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

/** A store of one run. `beforeStatus` runs between the reading of the log and that of the status. */
function setUp(events: RunEvent[], beforeStatus: () => void = () => undefined) {
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
      async get() {
        beforeStatus();
        return { status: state.status, eventCount: events.length } as Run;
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

it('a run that ends between the reading of its log and of its status is not taken for read to the end', async () => {
  const events = [event(0)];
  const { pages, state } = setUp(events, () => {
    if (state.status === 'completed') return;
    events.push(event(1));
    state.status = 'completed';
  });
  expect(await pages.read(OWNER, RUN, 0)).toMatchObject({ events: [], complete: false });
  expect((await pages.read(OWNER, RUN, 0)).events).toHaveLength(1);
  expect(await pages.read(OWNER, RUN, 1)).toMatchObject({ events: [], complete: true });
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
