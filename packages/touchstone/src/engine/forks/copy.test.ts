import { asId, type EvalSummary, type Fork, HostError, type RunId } from '@touchstone/protocol';
import type { NewEvent, Payloads, RunEvent } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Commit,
  type Lease,
  type LogEntry,
  PAGE_BYTES,
  type Run,
  type Slice,
  type Store,
  type TaskRecord,
} from '../../ports/index.js';
import { answered, type Bench, countingTasks, openBench, owner } from '../testing/bench.js';

const forkOf = (source: RunId, mode: Fork['mode'], fromSeq = 0) => ({ fork: { source, mode, fromSeq } });

/** What replays must keep: everything but the ids that name the run itself. */
const facts = (events: readonly RunEvent[]) =>
  events.map(({ eventId: _, runId: __, causationId, ...event }) => ({
    ...event,
    cause: causationId?.split(':')[1],
  }));

async function completed(bench: Bench, plan?: Parameters<Bench['createRun']>[1]): Promise<RunId> {
  const runId = await bench.createRun('source', plan);
  await bench.engine.drive(owner, runId);
  return runId;
}

const rowOf = async ({ store }: Bench, runId: RunId): Promise<Run> =>
  (await store.runs.get(owner, runId)) as Run;

/** Copies a finished run under another name, and changes its entries on the way: a history that does not add up. */
async function forge(store: Store, source: Run, change: (entry: LogEntry) => LogEntry): Promise<RunId> {
  const runId = asId<RunId>('forged');
  const { principal, origin, workflowId, plan, request, createdAt, engineVersion } = source;
  await store.runs.create({
    runId,
    owner,
    principal,
    origin,
    workflowId,
    plan,
    request,
    createdAt,
    engineVersion,
  });
  const lease = await store.leases.take(owner, runId, 60_000);
  if (!lease) throw new Error('The lease is taken.');
  const stored = await store.log.entries(owner, source.runId, 0, 10_000);
  await store.log.commit(lease, {
    seals: stored.flatMap(({ records }) => records),
    entries: stored.map(({ entry }) => change(entry)),
    firstSequence: 0,
    run: { status: 'completed', completedAt: 1, ...(source.headline && { headline: source.headline }) },
  });
  await store.leases.release(lease);
  return runId;
}

describe('a replay', () => {
  it('holds every recorded fact under its own ids, and asks nobody', async () => {
    const bench = await openBench({
      tasks: countingTasks(7),
      behave: (input) => answered(input === 3 ? 'wrong' : `answer ${input}`),
    });
    const source = await completed(bench, { repeats: 3 });
    const asked = bench.calls.length;
    const replay = await bench.createRun('replay', { repeats: 3, ...forkOf(source, 'replay') });
    await bench.engine.drive(owner, replay);
    expect(facts(await bench.events(replay))).toEqual(facts(await bench.events(source)));
    expect(bench.calls).toHaveLength(asked);
    const [before, after] = [await rowOf(bench, source), await rowOf(bench, replay)];
    expect([after.status, after.headline, after.eventCount]).toEqual([
      before.status,
      before.headline,
      before.eventCount,
    ]);
  });

  it('of repeats with long answers copies them part by part, and never holds a task as a whole', async () => {
    const long = 'x'.repeat(PAGE_BYTES * 0.4);
    const bench = await openBench({
      tasks: countingTasks(2),
      behave: (input) => answered(`${input} ${long}`),
    });
    const source = await completed(bench, { repeats: 5 });
    const sealed: number[] = [];
    const { commit, seal } = bench.store.log;
    Object.assign(bench.store.log, {
      commit: (lease: Lease, one: Commit) => {
        sealed.push((one.seals ?? []).filter(({ events }) => events.length > 0).length);
        return commit(lease, one);
      },
      seal: (slice: Slice, records: readonly TaskRecord[]) => {
        sealed.push(records.length);
        return seal(slice, records);
      },
    });
    const replay = await bench.createRun('replay', { repeats: 5, ...forkOf(source, 'replay') });
    await bench.engine.drive(owner, replay);
    expect(facts(await bench.events(replay))).toEqual(facts(await bench.events(source)));
    expect(sealed.filter((count) => count > 0)).toEqual([2, 2, 1, 2, 2, 1]);
  });

  it('of a run that was paused with a gap is that run', async () => {
    const slow = new Set([0]);
    const bench = await openBench({
      tasks: countingTasks(6),
      behave: (input) =>
        slow.has(input as number) ? new Promise(() => undefined) : answered(`answer ${input}`),
    });
    const source = await bench.createRun('source', { concurrency: 3 });
    const driven = bench.engine.drive(owner, source);
    for (let row = await rowOf(bench, source); ; row = await rowOf(bench, source)) {
      if ((await bench.store.log.pending(owner, source)).length === 5) break;
      await bench.clock.advance(1);
      if (row.status === 'completed') throw new Error('It did not wait.');
    }
    await bench.engine.pause(owner, source, 'someone', 'immediate');
    await driven;
    slow.clear();
    await bench.engine.resume(owner, source, 'someone');
    await bench.engine.drive(owner, source);
    expect(await bench.store.log.appended(owner, source)).toEqual([1, 2, 3, 4, 5, 0]);
    const replay = await bench.createRun('replay', forkOf(source, 'replay'));
    await bench.engine.drive(owner, replay);
    expect(facts(await bench.events(replay))).toEqual(facts(await bench.events(source)));
  });

  it('goes on after a crash where it stopped', async () => {
    const bench = await openBench({ tasks: countingTasks(400) });
    const source = await completed(bench);
    const replay = await bench.createRun('replay', forkOf(source, 'replay'));
    const engine = bench.reopen();
    const unwatch = bench.store.log.watchAll(() => void engine.shutdown());
    await engine.drive(owner, replay);
    unwatch();
    const { eventCount, status } = await rowOf(bench, replay);
    expect(status).toBe('running');
    expect(eventCount).toBeGreaterThan(0);
    await bench.reopen().drive(owner, replay);
    expect(facts(await bench.events(replay))).toEqual(facts(await bench.events(source)));
  });

  it('says where folding the history gives something else, keeps what is recorded, and goes on', async () => {
    const bench = await openBench({ tasks: countingTasks(4) });
    const source = await rowOf(bench, await completed(bench));
    const forged = await forge(bench.store, source, (entry) =>
      entry.kind === 'step' && entry.ordinal === 2 && entry.result
        ? { ...entry, result: { ...entry.result, score: 0.5, passed: false } }
        : entry,
    );
    const replay = await bench.createRun('replay', forkOf(forged, 'replay'));
    await bench.engine.drive(owner, replay);
    const [recorded, events] = [await bench.events(forged), await bench.events(replay)];
    const notes = events.filter(({ type }) => type === 'replay.diverged');
    const scored = recorded.find(({ type, nodeId }) => type === 'eval.scored' && nodeId === 't2') as RunEvent;
    expect(notes.map(({ payload }) => payload)).toEqual(
      [scored, ...recorded.slice(-2)].map(({ sequence, eventId }) => ({
        sourceRunId: forged,
        atSequence: sequence,
        originalEventId: eventId,
        divergenceKind: 'output',
      })),
    );
    expect(events.at(-1)?.type).toBe('run.completed');
    const kept = facts(events.filter(({ type }) => type !== 'replay.diverged'));
    expect(kept.map(({ type, payload }) => [type, payload])).toEqual(
      facts(recorded).map(({ type, payload }) => [type, payload]),
    );
    // A replay of the replay brings these notes along and has nothing to add but what is wrong in the same places.
    const again = await bench.createRun('again', forkOf(replay, 'replay'));
    await bench.engine.drive(owner, again);
    expect((await bench.events(again)).filter(({ type }) => type === 'replay.diverged')).toHaveLength(6);
  });

  it.each([
    ['eval.completed', -2],
    ['run.completed', -1],
  ] as const)('notices an %s that does not follow from the results', async (type, place) => {
    const bench = await openBench({ tasks: countingTasks(3) });
    const source = await rowOf(bench, await completed(bench));
    const edit = (event: NewEvent): NewEvent => {
      if (event.type === 'eval.completed' && type === event.type)
        return { ...event, payload: { ...event.payload, aggregateScore: 0.5 } };
      if (event.type !== 'run.completed' || type !== event.type) return event;
      const outputs = { ...(event.payload.outputs as EvalSummary), passedCount: 0 };
      return { ...event, payload: { ...event.payload, outputs } };
    };
    const forged = await forge(bench.store, source, (entry) =>
      entry.kind === 'events' ? { ...entry, events: entry.events.map(edit) } : entry,
    );
    const replay = await bench.createRun('replay', forkOf(forged, 'replay'));
    await bench.engine.drive(owner, replay);
    const notes = (await bench.events(replay)).filter(({ type }) => type === 'replay.diverged');
    expect(notes.map(({ payload }) => (payload as Payloads['replay.diverged']).atSequence)).toEqual([
      source.eventCount + place,
    ]);
  });

  it.each([
    ['as the results have it', 1, []],
    ['with a score that no result has', 0.5, ['replay.diverged']],
  ])(
    'holds a list of tasks that an earlier release has stored against the results: %s',
    async (_, score, found) => {
      const bench = await openBench({ tasks: countingTasks(3) });
      const source = await rowOf(bench, await completed(bench));
      const { payload } = (await bench.store.log.last(owner, source.runId)) as { payload: unknown };
      const outputs = (payload as Payloads['run.completed']).outputs as EvalSummary;
      const [first, ...others] = outputs.tasks;
      const tasks = [{ ...(first as EvalSummary['tasks'][number]), score }, ...others];
      const listed = (event: NewEvent): NewEvent =>
        event.type === 'run.completed'
          ? { ...event, payload: { ...event.payload, outputs: { ...outputs, tasks } } }
          : event;
      const forged = await forge(bench.store, source, (entry) =>
        entry.kind === 'events' ? { kind: 'events', events: entry.events.map(listed) } : entry,
      );
      const replay = await bench.createRun('replay', forkOf(forged, 'replay'));
      await bench.engine.drive(owner, replay);
      const notes = (await bench.events(replay)).filter(({ type }) => type === 'replay.diverged');
      expect(notes.map(({ type }) => type)).toEqual(found);
    },
  );

  it('notices a headline that does not follow from the results', async () => {
    const bench = await openBench({ tasks: countingTasks(3) });
    const source = await rowOf(bench, await completed(bench));
    const headline = { ...(source.headline as NonNullable<Run['headline']>), aggregateScore: 0.1 };
    const forged = await forge(bench.store, { ...source, headline }, (entry) => entry);
    const replay = await bench.createRun('replay', forkOf(forged, 'replay'));
    await bench.engine.drive(owner, replay);
    expect((await bench.events(replay)).filter(({ type }) => type === 'replay.diverged')).toHaveLength(1);
  });

  it('takes what lies before the asked point as it is', async () => {
    const bench = await openBench({ tasks: countingTasks(3) });
    const source = await rowOf(bench, await completed(bench));
    const forged = await forge(bench.store, source, (entry) =>
      entry.kind === 'step' && entry.ordinal === 0 && entry.result
        ? { ...entry, result: { ...entry.result, score: 0.5, passed: false } }
        : entry,
    );
    const replay = await bench.createRun('replay', forkOf(forged, 'replay', source.eventCount - 2));
    await bench.engine.drive(owner, replay);
    const notes = (await bench.events(replay)).filter(({ type }) => type === 'replay.diverged');
    expect(notes.map(({ payload }) => (payload as Payloads['replay.diverged']).atSequence)).toEqual([
      source.eventCount - 2,
      source.eventCount - 1,
    ]);
  });

  it('of a history that cannot be read ends as failed, and says why', async () => {
    const bench = await openBench({ tasks: countingTasks(3) });
    const source = await completed(bench);
    const replay = await bench.createRun('replay', forkOf(source, 'replay'));
    const log: Store['log'] = {
      ...bench.store.log,
      entries: () => Promise.reject(new HostError('internal_error', 'The store is damaged.')),
    };
    const engine = (await openBench({ parts: { store: { ...bench.store, log } } })).engine;
    await engine.drive(owner, replay);
    expect(await rowOf(bench, replay)).toMatchObject({
      status: 'failed',
      error: { code: 'internal_error', message: 'The store is damaged.' },
    });
    expect((await bench.events(replay)).map(({ type }) => type)).toEqual(['run.started', 'run.failed']);
  });

  it('goes on later when the store is away in the middle of it, and ends as failed when it is damaged', async () => {
    const bench = await openBench({ tasks: countingTasks(3) });
    const source = await completed(bench);
    const driveWith = async (runId: RunId, reason: string) => {
      const entries = () => Promise.reject(new HostError('unavailable', 'Try again.', { reason }));
      const log: Store['log'] = { ...bench.store.log, entries };
      const { engine } = await openBench({ parts: { store: { ...bench.store, log } } });
      await engine.drive(owner, runId).catch(() => undefined);
      return (await rowOf(bench, runId)).status;
    };
    const [away, damaged] = await Promise.all(
      ['away', 'damaged'].map((name) => bench.createRun(name, forkOf(source, 'replay'))),
    );
    expect(await driveWith(damaged as RunId, 'damaged')).toBe('failed');
    expect(await driveWith(away as RunId, 'full')).not.toBe('failed');
    await bench.reopen().drive(owner, away as RunId);
    expect((await rowOf(bench, away as RunId)).status).toBe('completed');
  });

  it('cannot be paused, and a cancel before its end is obeyed', async () => {
    const bench = await openBench({ tasks: countingTasks(400) });
    const source = await completed(bench);
    const replay = await bench.createRun('replay', forkOf(source, 'replay'));
    await expect(bench.engine.pause(owner, replay, 'someone', 'immediate')).rejects.toMatchObject({
      code: 'run_state_conflict',
    });
    const unwatch = bench.store.log.watch(replay, () => {
      unwatch();
      void bench.engine.cancel(owner, replay, 'someone');
    });
    await bench.engine.drive(owner, replay);
    const events = await bench.events(replay);
    expect(events.at(-1)?.type).toBe('run.cancelled');
    expect((await rowOf(bench, replay)).status).toBe('cancelled');
  });
});

describe('a branch', () => {
  it('keeps the history before its point and runs the rest anew, wherever the point is', async () => {
    let isSource = true;
    const bench = await openBench({
      tasks: countingTasks(5),
      behave: (input) => answered(isSource ? 'old' : `answer ${input}`),
    });
    const source = await completed(bench);
    isSource = false;
    const starts = (await bench.store.log.entries(owner, source, 0, 1_000)).map(
      ({ firstSequence }) => firstSequence,
    );
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), async (fromSeq) => {
        const asked = bench.calls.length;
        made += 1;
        const branch = await bench.createRun(`branch-${made}`, forkOf(source, 'branch', fromSeq));
        await bench.engine.drive(owner, branch);
        const [before, after] = [await bench.events(source), await bench.events(branch)];
        expect(facts(after.slice(0, fromSeq))).toEqual(facts(before.slice(0, fromSeq)));
        expect(after.map(({ type }) => type)).toEqual(before.map(({ type }) => type));
        const kept = before.slice(0, fromSeq).filter(({ type }) => type === 'eval.scored').length;
        expect(bench.calls.length - asked).toBe(5 - kept);
        expect((await rowOf(bench, branch)).headline).toMatchObject({ passedCount: 5 - kept, taskCount: 5 });
      }),
      { numRuns: 12 },
    );
  });

  it('goes on after a crash in the middle of its history', async () => {
    const bench = await openBench({ tasks: countingTasks(300) });
    const source = await completed(bench);
    const asked = bench.calls.length;
    const at = (await bench.store.log.entries(owner, source, 0, 10_000)).at(-20)?.firstSequence as number;
    const branch = await bench.createRun('branch', forkOf(source, 'branch', at));
    const engine = bench.reopen();
    const unwatch = bench.store.log.watch(branch, () => void engine.shutdown());
    await engine.drive(owner, branch);
    unwatch();
    expect((await rowOf(bench, branch)).eventCount).toBeLessThan(at);
    await bench.reopen().drive(owner, branch);
    expect((await bench.events(branch)).map(({ type }) => type)).toEqual(
      (await bench.events(source)).map(({ type }) => type),
    );
    expect(bench.calls.length - asked).toBe(19);
  });
});
