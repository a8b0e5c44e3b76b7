import { evalScored, type TaskResult } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  Lease,
  LogEntry,
  RunLog,
  Store,
  TaskRecord,
} from '../../../packages/touchstone/src/ports/index.js';
import { ACME, decided, leasedRun, record, START, taskName } from './givens.js';

/** Sizes of the records of each step, the order in which steps are appended, and which of them are left out. */
type History = { readonly steps: readonly (readonly number[])[]; readonly order: readonly number[] };

const histories = fc
  .array(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 })
  .chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      order: fc.shuffledSubarray(steps.map((_, ordinal) => ordinal)),
    }),
  );

/**
 * The log is a concatenation. Whatever is sealed, in whatever order it is appended and in whatever pages it is read
 * back, a plain list of events built beside it must be what comes out.
 */
export function logModelCases(open: () => Promise<Store>): void {
  it('any history reads back as the concatenation of its steps, in pages of any size', async () => {
    const store = await open();
    let runs = 0;
    const property = fc.asyncProperty(histories, fc.integer({ min: 1, max: 12 }), async (history, limit) => {
      runs += 1;
      const { run, lease } = await leasedRun(store, `model-${runs}`);
      const expected = await writeHistory(store.log, lease, history);
      expect(await readInPages(store.log, run.runId, limit)).toEqual(expected);
      expect(await store.log.appended(ACME, run.runId)).toEqual(history.order);
      const results = await store.log.results(ACME, run.runId, 0, 100);
      expect(results.map((found) => found.ordinal)).toEqual(history.order);
      const waiting = history.steps.flatMap((sizes, ordinal) =>
        history.order.includes(ordinal) ? [] : sizes.map((_, repeat) => ({ ordinal, repeat })),
      );
      expect(await store.log.pending(ACME, run.runId)).toMatchObject(waiting);
    });
    await fc.assert(property, { numRuns: 60 });
  });
}

/** Types and decisions, which is enough to tell every event of a history from every other. */
type Seen = { readonly type: string; readonly what: unknown };

async function writeHistory(log: RunLog, lease: Lease, { steps, order }: History): Promise<readonly Seen[]> {
  const recordsOf = (ordinal: number): readonly TaskRecord[] =>
    (steps[ordinal] ?? []).map((size, repeat) => record(ordinal, repeat, blockOf(ordinal, repeat, size)));
  await log.commit(lease, {
    seals: steps.flatMap((_, ordinal) => recordsOf(ordinal)).reverse(),
    firstSequence: 0,
  });
  const expected: Seen[] = [];
  for (const ordinal of order) {
    const records = recordsOf(ordinal);
    const result: TaskResult = { taskId: taskName(ordinal), score: 1, passed: true };
    const eventCount = records.reduce((sum, { events }) => sum + events.length, 0);
    const entry: LogEntry = { kind: 'step', ordinal, repeats: records.length, eventCount, result, at: START };
    await log.commit(lease, { entries: [entry], firstSequence: expected.length });
    expected.push(...records.flatMap(({ events }) => events.map(seen)));
    expected.push({ type: 'eval.scored', what: evalScored(result) });
  }
  return expected;
}

const blockOf = (ordinal: number, repeat: number, size: number): readonly NewEvent[] =>
  Array.from({ length: size }, (_, i) => decided(taskName(ordinal), `${ordinal}.${repeat}.${i}`));

const seen = (event: { readonly type: string; readonly payload: object }): Seen => ({
  type: event.type,
  what: 'decision' in event.payload ? event.payload.decision : event.payload,
});

async function readInPages(log: RunLog, runId: Lease['runId'], limit: number): Promise<readonly Seen[]> {
  const all: Seen[] = [];
  for (;;) {
    const page = await log.read(ACME, runId, all.length - 1, limit);
    if (page.length === 0) return all;
    expect(page.map((event) => event.sequence)).toEqual(page.map((_, i) => all.length + i));
    all.push(...page.map(seen));
  }
}
