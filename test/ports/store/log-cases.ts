import { asId } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import type { Commit, LogEntry, Run, Store } from '../../../packages/touchstone/src/ports/index.js';
import {
  ACME,
  commitSteps,
  completed,
  decided,
  endingCommit,
  events,
  leasedRun,
  record,
  refusalOf,
  START,
  started,
  step,
  type taskName,
} from './givens.js';

const completedWith = (outputs: object): NewEvent => ({
  type: 'run.completed',
  at: START,
  payload: { outputs: outputs as never },
});

export function logCases(open: () => Promise<Store>): void {
  it('a step expands to its records in repeat order, causes inside their own record, then its score', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const seals = [
      record(4, 1, [decided('t', 'c'), decided('t', 'd', 0)]),
      record(4, 0, [decided('t', 'a'), decided('t', 'b', 0)]),
    ];
    const result = {
      taskId: asId<ReturnType<typeof taskName>>('t'),
      score: 0.5,
      passed: false,
      costUsd: 0.25,
      findings: [{ kind: asId<never>('secret'), severity: 'high' as const }],
    };
    const entry = { kind: 'step', ordinal: 4, repeats: 2, eventCount: 4, at: START + 9, result } as const;
    await store.log.commit(lease, { seals, entries: [events(started()), entry], firstSequence: 0 });
    const read = await store.log.read(ACME, run.runId, -1, 100);
    expect(read.map((event) => event.sequence)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(read.slice(1, 5).map((event) => (event.payload as { decision: unknown }).decision)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(read.map((event) => event.causationId)).toEqual([
      undefined,
      undefined,
      'r1:1',
      undefined,
      'r1:3',
      undefined,
    ]);
    expect(read[5]).toStrictEqual({
      eventId: 'r1:5',
      runId: 'r1',
      type: 'eval.scored',
      payload: { taskId: 't', score: 0.5, passed: false, costUsd: 0.25, safetyFindingCount: 1 },
      timestamp: new Date(START + 9).toISOString(),
      sequence: 5,
      nodeId: 't',
      schemaVersion: 1,
      engineVersion: '1',
    });
    expect(read[2]).toMatchObject({ nodeId: 't', timestamp: new Date(START + 5).toISOString() });
    expect(read[0]).not.toHaveProperty('nodeId');
  });

  it('a step without a result has no score event, and a commit without events appends none', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const entry = { kind: 'step', ordinal: 0, repeats: 1, eventCount: 2, at: START } as const;
    await store.log.commit(lease, { seals: [record(0)], entries: [events(), entry], firstSequence: 0 });
    await store.log.commit(lease, { firstSequence: 2 });
    expect((await store.log.read(ACME, run.runId, -1, 100)).map((event) => event.type)).toEqual([
      'agent.decided',
      'agent.decided',
    ]);
    expect(await store.log.results(ACME, run.runId, 0, 10)).toEqual([]);
    expect(await store.log.appended(ACME, run.runId)).toEqual([0]);
  });

  it('seals, entries and the row change together or not at all', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    await commitSteps(store, lease, [0]);
    const whole: Commit = {
      seals: [record(1)],
      entries: [step(1)],
      firstSequence: 4,
      run: { status: 'failed' },
    };
    const broken: readonly Commit[] = [
      { ...whole, firstSequence: 5 },
      { ...whole, firstSequence: 3 },
      { ...whole, entries: [step(1), step(2)] },
      { ...whole, entries: [step(1, 3)] },
      { ...whole, entries: [step(1, 2, 2)] },
    ];
    for (const commit of broken) {
      expect((await refusalOf(store.log.commit(lease, commit))).code).toBe('internal_error');
      expect(await store.runs.get(ACME, run.runId)).toMatchObject({ status: 'running', eventCount: 4 });
      expect(await store.log.records(ACME, run.runId, 1)).toEqual([]);
      expect(await store.log.read(ACME, run.runId, -1, 100)).toHaveLength(4);
    }
    await store.log.commit(lease, whole);
    expect(await store.runs.get(ACME, run.runId)).toMatchObject({ status: 'failed', eventCount: 7 });
  });

  it('a failing commit leaves its neighbours of the same turn alone', async () => {
    const store = await open();
    const first = await leasedRun(store, 'r1');
    const second = await leasedRun(store, 'r2');
    const begin: Commit = { entries: [events(started())], firstSequence: 0, run: { status: 'running' } };
    const settled = await Promise.allSettled([
      store.log.commit(first.lease, begin),
      store.log.commit({ ...second.lease, token: 0 }, begin),
      store.log.commit(first.lease, { entries: [events(completed())], firstSequence: 1 }),
      store.log.commit(second.lease, begin),
    ]);
    expect(settled.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await store.log.read(ACME, first.run.runId, -1, 10)).toHaveLength(2);
    expect(await store.log.read(ACME, second.run.runId, -1, 10)).toHaveLength(1);
  });

  it('a second seal of the same repeat is dropped', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const original = record(0);
    await store.log.commit(lease, { seals: [original], firstSequence: 0 });
    const late = record(0, 0, [decided('x', 'late'), decided('x', 'later')]);
    await store.log.commit(lease, { seals: [late], firstSequence: 0 });
    await store.log.commit(lease, { seals: [late], entries: [step(0)], firstSequence: 0 });
    expect(await store.log.records(ACME, run.runId, 0)).toStrictEqual([original]);
    expect(await store.log.read(ACME, run.runId, -1, 10)).toHaveLength(3);
  });

  it('a record reads back whole, in repeat order, with content of any kind', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const bodies = {
      reason: 'NUL \u0000, half a pair \ud800, ”quotes”',
      attempts: 3,
      criteria: [{ met: true }],
    };
    const awkward = { ...record(2, 1, [decided('t', { nested: ['\u0000', '\ud83d', null, 1e-7] })]), bodies };
    const { score: _, ...unscored } = record(2, 0);
    await store.log.commit(lease, { seals: [awkward, unscored], firstSequence: 0 });
    expect(await store.log.records(ACME, run.runId, 2)).toStrictEqual([unscored, awkward]);
  });

  it('reads continue after any sequence, in whole steps, and end with nothing', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const end = await commitSteps(store, lease, [0, 1, 2]);
    const whole = await store.log.read(ACME, run.runId, -1, 1_000);
    expect(whole).toHaveLength(end);
    for (let after = -1; after < end; after += 1) {
      const page = await store.log.read(ACME, run.runId, after, 2);
      expect(page).toEqual(whole.slice(after + 1, after + 1 + page.length));
      expect(page.length).toBeGreaterThanOrEqual(Math.min(2, end - 1 - after));
      expect(page.length).toBeLessThan(2 + 3);
      expect((page.at(-1)?.sequence ?? 0) % 3).toBe(0);
    }
  });

  it('the newest event is found without reading the rest', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    expect(await store.log.last(ACME, run.runId)).toBeUndefined();
    const end = await commitSteps(store, lease, [0]);
    expect(await store.log.last(ACME, run.runId)).toMatchObject({ type: 'eval.scored', sequence: end - 1 });
    await store.log.commit(lease, endingCommit(end));
    expect(await store.log.last(ACME, run.runId)).toMatchObject({ type: 'run.completed', sequence: end });
  });

  /** A run whose log has its steps in this order, and ends with a summary that is stored without its list of tasks. */
  const evaluated = async (
    store: Store,
    name: string,
    ordinals: readonly number[],
    tasks = ordinals.length,
  ) => {
    const { run, lease } = await leasedRun(store, name);
    const end = await commitSteps(store, lease, ordinals);
    const outputs = { aggregateScore: 1, regression: { baselineRunId: 'b', scoreDelta: 0 } };
    const last = completedWith(outputs);
    const entry: LogEntry = { kind: 'events', events: [decided('t', 'x'), last], tasks };
    const change = { status: 'completed', completedAt: START + 10 } as const;
    await store.log.commit(lease, { entries: [entry], firstSequence: end, run: change });
    return { run, end, entry, outputs };
  };
  const listed = (ordinals: readonly number[]) =>
    ordinals.map((ordinal) => ({ taskId: `task-${ordinal}`, score: 1, passed: true }));

  it('a summary is told with its list of tasks, in the order of the suite, and stored without it', async () => {
    const store = await open();
    const { run, end, entry, outputs } = await evaluated(store, 'r1', [0, 3, 1, 2]);
    const tasks = listed([0, 1, 2, 3]);
    const last = await store.log.last(ACME, run.runId);
    expect(last).toMatchObject({ type: 'run.completed', payload: { outputs: { ...outputs, tasks } } });
    for (const after of [-1, end - 1, end])
      expect((await store.log.read(ACME, run.runId, after, 100)).at(-1)).toEqual(last);
    expect((await store.log.read(ACME, run.runId, end - 1, 1)).at(0)?.type).toBe('agent.decided');
    const [stored] = await store.log.entries(ACME, run.runId, end, 1);
    expect(stored?.entry).toEqual(entry);
  });

  it('a summary whose results are not all there is damaged', async () => {
    const store = await open();
    const { run } = await evaluated(store, 'r1', [0, 1], 3);
    expect(await refusalOf(store.log.last(ACME, run.runId))).toMatchObject({ code: 'unavailable' });
    expect(await store.log.read(ACME, run.runId, -1, 3)).toHaveLength(4);
  });

  it('a summary whose list fills a page is a page of its own', async () => {
    const store = await open();
    const ordinals = Array.from({ length: 15_000 }, (_, ordinal) => ordinal);
    const { run, lease } = await leasedRun(store, 'r1');
    const seals = ordinals.map((ordinal) => record(ordinal));
    const steps = ordinals.map((ordinal) => step(ordinal));
    await store.log.commit(lease, { seals, entries: steps, firstSequence: 0 });
    const end = 3 * ordinals.length;
    const last = completedWith({ aggregateScore: 1 });
    const entry: LogEntry = { kind: 'events', events: [last], tasks: ordinals.length };
    const change = { status: 'completed', completedAt: START + 10 } as const;
    await store.log.commit(lease, { entries: [entry], firstSequence: end, run: change });
    expect((await store.log.read(ACME, run.runId, end - 4, 100)).at(-1)?.sequence).toBe(end - 1);
    const outputs = { aggregateScore: 1, tasks: listed(ordinals) };
    expect(await store.log.read(ACME, run.runId, end - 1, 100)).toMatchObject([{ payload: { outputs } }]);
  });

  it('a partial run tells what is in the log and what only waits', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const end = await commitSteps(store, lease, [0, 3, 1]);
    await store.log.commit(lease, { seals: [record(5, 1), record(2)], firstSequence: end });
    expect(await store.log.appended(ACME, run.runId)).toEqual([0, 3, 1]);
    expect(await store.log.pending(ACME, run.runId)).toStrictEqual([
      { ordinal: 2, repeat: 0, score: record(2).score, eventCount: 2, at: START },
      { ordinal: 5, repeat: 1, score: record(5).score, eventCount: 2, at: START },
    ]);
  });

  it('results come in log order from any offset', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const ordinals = [0, 4, 2, 1, 9, 3, 7];
    await commitSteps(store, lease, ordinals);
    const ordinalsFrom = async (offset: number, limit: number) =>
      (await store.log.results(ACME, run.runId, offset, limit)).map((found) => found.ordinal);
    for (const offset of [0, 2, 4, 6, 1, 7, 3, 5, 0]) {
      expect(await ordinalsFrom(offset, 2)).toEqual(ordinals.slice(offset, offset + 2));
    }
    expect(await store.log.results(ACME, run.runId, 1, 1)).toStrictEqual([
      {
        ordinal: 4,
        result: { taskId: 'task-4', score: 1, passed: true },
        firstSequence: expect.any(Number),
        lastSequence: expect.any(Number),
      },
    ]);
  });

  it('results of tasks that did not pass come in log order from any offset', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const failing = (ordinal: number): LogEntry => {
      const entry = step(ordinal);
      if (entry.kind !== 'step' || !entry.result || ordinal < 3) return entry;
      // Texts that look like the member, in results of both kinds.
      return { ...entry, result: { ...entry.result, judge: asId('"passed":false'), passed: ordinal === 7 } };
    };
    await commitSteps(store, lease, [0, 4, 2, 1, 9, 3, 7], failing);
    const all = await store.log.results(ACME, run.runId, 0, 10);
    const failed = all.filter(({ result }) => !result.passed);
    expect(failed.map(({ ordinal }) => ordinal)).toEqual([4, 9, 3]);
    for (const offset of [0, 2, 1, 3, 4, 0])
      expect(await store.log.failures(ACME, run.runId, offset, 2)).toStrictEqual(
        failed.slice(offset, offset + 2),
      );
  });

  it('results of chosen steps come in log order, and absent ones not at all', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    await commitSteps(store, lease, [0, 4, 2, 1, 9, 3, 7]);
    const all = await store.log.results(ACME, run.runId, 0, 10);
    const many = Array.from({ length: 150 }, (_, at) => at);
    for (const ordinals of [[], [9], [1, 4], [3, 8, 0], many]) {
      const chosen = all.filter(({ ordinal }) => ordinals.includes(ordinal));
      expect(await store.log.resultsAt(ACME, run.runId, ordinals)).toStrictEqual(chosen);
    }
  });

  it('a commit changes exactly the members of the run that it names', async () => {
    const store = await open();
    const { lease } = await leasedRun(store, 'r1');
    const run = (await store.runs.get(ACME, lease.runId)) as Run;
    const control = { kind: 'pause', by: 'ann', drainPolicy: 'immediate' } as const;
    const change = { status: 'paused', startedAt: START, pausedAt: START + 1, control } as const;
    await store.log.commit(lease, { firstSequence: 0, run: change });
    expect(await store.runs.get(ACME, run.runId)).toStrictEqual({ ...run, ...change, status: 'running' });
    const resumed = { status: 'running', pausedAt: null, pausedMs: 7, control: null } as const;
    await store.log.commit(lease, { firstSequence: 0, run: resumed });
    const { pausedAt: _, control: __, ...kept } = change;
    expect(await store.runs.get(ACME, run.runId)).toStrictEqual({
      ...run,
      ...kept,
      status: 'running',
      pausedMs: 7,
    });
    const headline = { aggregateScore: 1, passed: true, taskCount: 1, passedCount: 1, unscored: 0 };
    const error = { code: 'run_timeout', message: 'Too slow.' } as const;
    const ended = { status: 'failed', completedAt: START + 9, headline, error } as const;
    await store.log.commit(lease, { firstSequence: 0, run: ended });
    expect(await store.runs.get(ACME, run.runId)).toStrictEqual({ ...run, ...kept, pausedMs: 7, ...ended });
  });

  it('a watcher is woken after the commit is readable, for events and status, and not after it has left', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const { lease: otherLease } = await leasedRun(store, 'r2');
    const seen: number[] = [];
    let wake: () => void = () => {};
    const leave = store.log.watch(run.runId, () => {
      store.runs.get(ACME, run.runId).then((found) => {
        seen.push(found?.eventCount ?? -1);
        wake();
      });
    });
    const woken = () => new Promise<void>((resolve) => (wake = resolve));
    const first = woken();
    await store.log.commit(lease, { entries: [events(started())], firstSequence: 0 });
    await first;
    const second = woken();
    await store.runs.request(ACME, run.runId, { from: ['pending'], status: 'cancelling', control: null });
    await second;
    await store.log.commit(lease, { seals: [record(0)], firstSequence: 1 });
    await store.log.commit(otherLease, endingCommit(0));
    leave();
    await store.log.commit(lease, endingCommit(1));
    await store.runs.get(ACME, run.runId);
    expect(seen).toEqual([1, 1]);
  });
}
