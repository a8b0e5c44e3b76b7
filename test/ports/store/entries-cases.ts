import type { TaskResult } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  Lease,
  LogEntry,
  RunLog,
  Store,
  StoredEntry,
  TaskRecord,
} from '../../../packages/touchstone/src/ports/index.js';
import { ACME, decided, leasedRun, record, runIdOf, START, taskName } from './givens.js';

/** Loose events before each step, sizes of its records, whether it was scored; then the order of appending. */
type Step = { readonly loose: number; readonly sizes: readonly number[]; readonly scored: boolean };
type History = { readonly steps: readonly Step[]; readonly order: readonly number[] };

const aStep = fc
  .record({
    loose: fc.nat({ max: 3 }),
    sizes: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
    scored: fc.boolean(),
  })
  // A step that stands for no event at all has no place in a log.
  .map((step) => ({ ...step, scored: step.scored || step.sizes.every((size) => size === 0) }));
const histories: fc.Arbitrary<History> = fc
  .array(aStep, { minLength: 1, maxLength: 8 })
  .chain((steps) =>
    fc.record({ steps: fc.constant(steps), order: fc.shuffledSubarray(steps.map((_, ordinal) => ordinal)) }),
  );

/** Everything that a log can hold: repeats, gaps that are filled later, loose events, odd content, no score, no result. */
const RICH: History = {
  steps: [
    { loose: 2, sizes: [2], scored: true },
    { loose: 0, sizes: [1, 3, 0], scored: true },
    { loose: 0, sizes: [2, 2], scored: false },
    { loose: 1, sizes: [0], scored: true },
    { loose: 3, sizes: [1], scored: false },
    { loose: 0, sizes: [2, 1], scored: true },
  ],
  order: [0, 1, 4, 2, 5],
};

const blockOf = (name: string, size: number): readonly NewEvent[] =>
  Array.from({ length: size }, (_, i) =>
    decided(name, { place: `${name}.${i}`, odd: 'NUL \u0000, lone \ud800' }, i > 0 ? i - 1 : undefined),
  );

function recordOf(ordinal: number, repeat: number, size: number): TaskRecord {
  const whole = record(ordinal, repeat, blockOf(`${ordinal}.${repeat}`, size));
  const { score: _, ...unscored } = whole;
  return repeat % 2 === 1
    ? unscored
    : { ...whole, bodies: { reason: `NUL \u0000 in ${ordinal}`, attempts: 2 } };
}

/** The entries of one step as they are committed, and as they have to come back. */
function entriesOf(ordinal: number, step: Step, firstSequence: number): readonly StoredEntry[] {
  const { loose, sizes, scored } = step;
  const records = sizes.map((size, repeat) => recordOf(ordinal, repeat, size));
  const inRecords = sizes.reduce((sum, size) => sum + size, 0);
  const result: TaskResult = { taskId: taskName(ordinal), score: 0.5, passed: false, repeats: [0, 1] };
  const at = START + ordinal;
  const entry: LogEntry = {
    kind: 'step',
    ordinal,
    repeats: sizes.length,
    eventCount: inRecords,
    ...(scored && { result }),
    at,
  };
  const events: LogEntry = { kind: 'events', events: blockOf(`loose-${ordinal}`, loose) };
  const before = loose > 0 ? [{ firstSequence, eventCount: loose, entry: events, records: [] }] : [];
  const eventCount = inRecords + (scored ? 1 : 0);
  return [...before, { firstSequence: firstSequence + loose, eventCount, entry, records }];
}

const endOf = (entries: readonly StoredEntry[]): number => {
  const last = entries.at(-1);
  return last ? last.firstSequence + last.eventCount : 0;
};

/** Seals everything first, also what is never appended, and then appends one step per commit. */
async function writeHistory(log: RunLog, lease: Lease, history: History): Promise<readonly StoredEntry[]> {
  const seals = history.steps.flatMap(({ sizes }, ordinal) =>
    sizes.map((size, repeat) => recordOf(ordinal, repeat, size)),
  );
  await log.commit(lease, { seals: seals.reverse(), firstSequence: 0 });
  const written: StoredEntry[] = [];
  for (const ordinal of history.order) {
    const firstSequence = endOf(written);
    const entries = entriesOf(ordinal, history.steps[ordinal] as Step, firstSequence);
    await log.commit(lease, { entries: entries.map(({ entry }) => entry), firstSequence });
    written.push(...entries);
  }
  return written;
}

async function copy(log: RunLog, source: Lease, target: Lease, limit: number): Promise<void> {
  for (let from = 0; ; ) {
    const page = await log.entries(source.owner, source.runId, from, limit);
    if (page.length === 0) return;
    const seals = page.flatMap(({ records }) => records);
    await log.commit(target, { seals, entries: page.map(({ entry }) => entry), firstSequence: from });
    from = endOf(page);
  }
}

/** Everything that can be read of a log, with the run's own name taken out of it. */
async function readingOf(log: RunLog, { owner, runId }: Lease): Promise<string> {
  const ordinals = await log.appended(owner, runId);
  const reading = await Promise.all([
    log.read(owner, runId, -1, 1_000),
    log.last(owner, runId),
    log.results(owner, runId, 0, 1_000),
    log.entries(owner, runId, 0, 1_000),
    ...ordinals.map((ordinal) => log.records(owner, runId, ordinal)),
  ]);
  return JSON.stringify([ordinals, ...reading]).replaceAll(runId, 'this run');
}

export function entriesCases(open: () => Promise<Store>): void {
  it('entries come back as they were committed, from every event and in pages of every size', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const written = await writeHistory(store.log, lease, RICH);
    const end = endOf(written);
    for (let from = 0; from < end; from += 1) {
      for (const limit of [1, 2, 3, 5, 8, end, 1_000]) {
        const expected = written.filter(
          (each) => each.firstSequence + each.eventCount > from && each.firstSequence < from + limit,
        );
        const found = await store.log.entries(ACME, run.runId, from, limit);
        expect(found, `from ${from}, ${limit} events`).toStrictEqual(expected);
      }
    }
  });

  it('there are none past the end, of an empty log or of no run, and a page of no events has one', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    expect(await store.log.entries(ACME, run.runId, 0, 9)).toEqual([]);
    const written = await writeHistory(store.log, lease, RICH);
    for (const beyond of [0, 1, 100])
      expect(await store.log.entries(ACME, run.runId, endOf(written) + beyond, 9)).toEqual([]);
    expect(await store.log.entries(ACME, runIdOf('r2'), 0, 9)).toEqual([]);
    expect(await store.log.entries(ACME, run.runId, 1, 0)).toEqual(written.slice(0, 1));
  });

  it('a repeat that was sealed after its step had been appended is not part of the entry', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const written = await writeHistory(store.log, lease, { steps: RICH.steps.slice(0, 1), order: [0] });
    await store.log.commit(lease, { seals: [record(0, 1)], firstSequence: endOf(written) });
    expect(await store.log.entries(ACME, run.runId, 0, 100)).toStrictEqual(written);
  });

  it('a log copied entry by entry, in pages of any size, reads like the one it was copied from', async () => {
    const store = await open();
    let runs = 0;
    const property = fc.asyncProperty(histories, fc.integer({ min: 1, max: 20 }), async (history, limit) => {
      runs += 1;
      const source = await leasedRun(store, `source-${runs}-`);
      const target = await leasedRun(store, `copy-${runs}-`);
      await writeHistory(store.log, source.lease, history);
      await copy(store.log, source.lease, target.lease, limit);
      expect(await readingOf(store.log, target.lease)).toBe(await readingOf(store.log, source.lease));
      expect(await store.log.pending(ACME, target.run.runId)).toEqual([]);
    });
    await fc.assert(property, {
      numRuns: 60,
      examples: [
        [RICH, 1],
        [RICH, 7],
      ],
    });
  });
}
