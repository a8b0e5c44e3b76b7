import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Lease,
  PAGE_BYTES,
  type RunLog,
  type Store,
  type TaskRecord,
} from '../../../packages/touchstone/src/ports/index.js';
import { ACME, decided, events, leasedRun, record, started, step, taskName } from './givens.js';

/** For each step, for each of its repeats, the sizes of its events in parts of a page. */
type Sizes = readonly (readonly (readonly number[])[])[];

const text = (size: number): string => 'x'.repeat(Math.round(size * PAGE_BYTES));
const recordOf = (ordinal: number, repeat: number, sizes: readonly number[]): TaskRecord =>
  record(
    ordinal,
    repeat,
    sizes.map((size, at) => decided(taskName(ordinal), text(size), at > 0 ? 0 : undefined)),
  );

/** Begins with a loose event, then one step after the other; answers how many events there are. */
async function write(log: RunLog, lease: Lease, steps: Sizes): Promise<number> {
  await log.commit(lease, { entries: [events(started())], firstSequence: 0, run: { status: 'running' } });
  let firstSequence = 1;
  for (const [ordinal, repeats] of steps.entries()) {
    const eventCount = repeats.reduce((sum, sizes) => sum + sizes.length, 0);
    await log.commit(lease, {
      seals: repeats.map((sizes, repeat) => recordOf(ordinal, repeat, sizes)),
      entries: [step(ordinal, eventCount, repeats.length)],
      firstSequence,
    });
    firstSequence += eventCount + 1;
  }
  return firstSequence;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
/** What surrounds the content, and the little that is not worth another page. */
const SLACK = PAGE_BYTES / 8;

/** Reads a log to its end; every page is small, or holds one large event and little beside it. */
async function readPages(log: RunLog, { owner, runId }: Lease, limit: number) {
  const read: Awaited<ReturnType<RunLog['read']>>[number][] = [];
  for (;;) {
    const page = await log.read(owner, runId, read.length - 1, limit);
    if (page.length === 0) return read;
    const bytes = page.map(sizeOf);
    const total = bytes.reduce((sum, one) => sum + one, 0);
    expect(total).toBeLessThanOrEqual(PAGE_BYTES + Math.max(...bytes) + SLACK);
    expect(page.map(({ sequence }) => sequence)).toEqual(page.map((_, at) => read.length + at));
    read.push(...page);
  }
}

async function copy(log: RunLog, source: Lease, target: Lease): Promise<void> {
  for (let [from, repeat] = [0, 0]; ; ) {
    const page = await log.entries(source.owner, source.runId, from, 500, repeat);
    const [first] = page;
    if (!first) return;
    const records = page.map((entry) => entry.records.reduce((sum, one) => sum + sizeOf(one), 0));
    const largest = Math.max(...page.flatMap((entry) => entry.records.map(sizeOf)), 0);
    expect(records.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(PAGE_BYTES + largest + SLACK);
    await log.seal(
      target,
      page.flatMap((entry) => entry.records),
    );
    if (first.partial) {
      repeat += first.records.length;
      continue;
    }
    await log.append(target, { entries: page.map(({ entry }) => entry), firstSequence: from });
    const last = page.at(-1) ?? first;
    [from, repeat] = [last.firstSequence + last.eventCount, 0];
  }
}

/** A log is read in pages that end by bytes, whatever it holds. */
export function pageCases(open: () => Promise<Store>): void {
  const size = fc.constantFrom(0.0001, 0.1, 0.4, 1.2, 2);
  const logs = fc.array(
    fc.array(fc.array(size, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    { minLength: 1, maxLength: 2 },
  );

  it('a log of long answers is read and copied in pages that end by bytes, and nothing is lost or doubled', async () => {
    const store = await open();
    let runs = 0;
    const property = fc.asyncProperty(logs, fc.constantFrom(1, 3, 200), async (steps, limit) => {
      runs += 1;
      const source = (await leasedRun(store, `source-${runs}-`)).lease;
      const target = (await leasedRun(store, `target-${runs}-`)).lease;
      const count = await write(store.log, source, steps);
      const read = await readPages(store.log, source, limit);
      const sizes = steps.flatMap((repeats) => [...repeats.flat(), 0]);
      expect(read).toHaveLength(count);
      expect(
        read.slice(1).map(({ payload }) => ('decision' in payload ? String(payload.decision).length : 0)),
      ).toEqual(sizes.map((one) => text(one).length));
      await copy(store.log, source, target);
      const copied = JSON.stringify(await readPages(store.log, target, limit));
      expect(copied.replaceAll(target.runId, source.runId) === JSON.stringify(read)).toBe(true);
    });
    await fc.assert(property, {
      numRuns: 6,
      examples: [[[[[0.0001, 3, 0.0001], [3]], [[1.2, 1.2, 1.2]]], 200]],
    });
  });

  it('a record of one long answer is one page, with the small events around it', async () => {
    const store = await open();
    const { lease, run } = await leasedRun(store, 'r1');
    await write(store.log, lease, [[[0.0001, 3, 0.0001]], [[0.0001, 3, 0.0001]]]);
    const lengths: number[] = [];
    for (let after = -1; ; ) {
      const page = await store.log.read(ACME, run.runId, after, 200);
      if (page.length === 0) break;
      lengths.push(page.length);
      after += page.length;
    }
    expect(lengths).toEqual([1, 4, 4]);
  });

  it('records are read from a repeat on, a page at most; their scores all at once', async () => {
    const store = await open();
    const { lease, run } = await leasedRun(store, 'r1');
    await write(store.log, lease, [[[0.4], [0.4], [0.4], [3], [0.1]]]);
    const repeats = async (from?: number) =>
      (await store.log.records(ACME, run.runId, 0, from)).map(({ repeat }) => repeat);
    expect([await repeats(), await repeats(2), await repeats(3), await repeats(4), await repeats(5)]).toEqual(
      [[0, 1], [2], [3], [4], []],
    );
    expect(await store.log.scores(ACME, run.runId, 0)).toEqual(Array(5).fill(record(0).score));
  });
}
