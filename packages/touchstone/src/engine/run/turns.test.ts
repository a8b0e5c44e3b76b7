import type { RunEvent } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createSlots } from '../../net/index.js';
import { UNSHARED } from '../../ports/index.js';
import { type Bench, type BenchOptions, countingTasks, openBench, owner } from '../testing/bench.js';
import { createTurnAgent, type TurnAgent } from '../testing/turn-agent.js';

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function openWithTurns(count: number, options: BenchOptions = {}) {
  const agents: TurnAgent[] = [];
  const behave: BenchOptions['behave'] = (...asked) => (agents[0] as TurnAgent).behave(...asked);
  const agent = { takesTurns: true } as const;
  const bench: Bench = await openBench({ tasks: countingTasks(count), behave, agent, ...options });
  const turns = createTurnAgent(bench.clock.elapsed);
  agents.push(turns);
  return { bench, turns };
}

/** Two are at work, and one has answered, so that it is known how long they take. */
async function begun(opened: Awaited<ReturnType<typeof openWithTurns>>, plan = {}) {
  const { bench, turns } = opened;
  const runId = await bench.createRun('r', { concurrency: 2, ...plan });
  const driven = bench.engine.drive(owner, runId);
  await until(() => expect(turns.atWork).toEqual([0, 1]));
  expect(turns.waiting).toEqual([]);
  turns.answer(0);
  await until(() => expect(turns.atWork).toEqual([1, 2]));
  await settled();
  return { runId, driven };
}

async function answerAll({ turns }: { turns: TurnAgent }, driven: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = driven.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const input of turns.atWork) turns.answer(input);
    await settled();
  }
  await over;
}

const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);

describe('tasks of an agent that keeps those which wait for their turn', () => {
  it('are handed over ahead, begin the moment another one ends, and no more are at work than allowed', async () => {
    const opened = await openWithTurns(9);
    const { turns } = opened;
    const { driven } = await begun(opened);
    expect(turns.waiting).toEqual([3, 4]);
    turns.answer(1);
    expect(turns.atWork).toEqual([2, 3]);
    await answerAll(opened, driven);
    expect(turns.mostAtWork).toBe(2);
    expect(opened.bench.calls).toHaveLength(9);
  });

  it('begin in the log when their turn comes, and the wait is not their latency', async () => {
    const opened = await openWithTurns(4);
    const { bench, turns } = opened;
    const { runId, driven } = await begun(opened);
    await bench.clock.advance(100);
    turns.answer(1);
    await settled();
    await bench.clock.advance(30);
    await answerAll(opened, driven);
    const events = await bench.events(runId);
    const ofTask = events.filter(({ nodeId }) => nodeId === 't3');
    const timeOf = (type: string) =>
      Date.parse(ofTask.find((event) => event.type === type)?.timestamp as string);
    expect(timeOf('agent.invocation.completed') - timeOf('agent.invocation.started')).toBe(30);
    expect(ofTask.find(({ type }) => type === 'eval.scored')?.payload).toMatchObject({ latencyMs: 30 });
  });

  it('are not begun by a pause, and are executed once after the resume', async () => {
    const opened = await openWithTurns(9);
    const { bench, turns } = opened;
    const { runId, driven } = await begun(opened);
    await bench.engine.pause(owner, runId, 'me', 'drain-current-node');
    await until(() => expect(turns.waiting).toEqual([]));
    await answerAll(opened, driven);
    expect(bench.calls).toEqual(['inv-0.0', 'inv-1.0', 'inv-2.0', 'inv-3.0', 'inv-4.0']);
    expect(typesOf(await bench.events(runId)).filter((type) => type === 'eval.scored')).toHaveLength(3);
    await bench.engine.resume(owner, runId, 'me');
    await answerAll(opened, bench.engine.drive(owner, runId));
    expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'completed' });
    expect(typesOf(await bench.events(runId)).filter((type) => type === 'eval.scored')).toHaveLength(9);
  });

  it('are dropped by a cancel', async () => {
    const opened = await openWithTurns(9);
    const { bench } = opened;
    const { runId, driven } = await begun(opened);
    await bench.engine.cancel(owner, runId, 'me');
    await driven;
    expect(await bench.store.runs.get(owner, runId)).toMatchObject({ status: 'cancelled' });
  });

  it('are not counted as running', async () => {
    const opened = await openWithTurns(9);
    const { bench } = opened;
    const seen: number[] = [];
    const runId = await bench.createRun('r', { concurrency: 2 });
    bench.engine.watch(runId, ({ running }) => void seen.push(running));
    await answerAll(opened, bench.engine.drive(owner, runId));
    expect(Math.max(...seen)).toBeLessThanOrEqual(2);
  });

  it.each<[string, object]>([
    ['money may run out', { ceilingUsd: 5 }],
    ['a judge is asked, too', { judge: { provider: 'p', model: 'm', digest: 'sha256:0' } }],
  ])('are not handed over ahead where %s', async (_why, plan) => {
    const opened = await openWithTurns(9);
    const { driven } = await begun(opened, plan);
    expect(opened.turns.waiting).toEqual([]);
    await answerAll(opened, driven);
  });

  it('are not handed over ahead where others wait for a slot', async () => {
    const slots = createSlots({ perTenant: 2 });
    const opened = await openWithTurns(9, { slots: { tasks: slots } });
    const never = new AbortController();
    const { bench, turns } = opened;
    const runId = await bench.createRun('r', { concurrency: 2 });
    const driven = bench.engine.drive(owner, runId);
    await until(() => expect(turns.atWork).toEqual([0, 1]));
    void slots.enter(owner.tenant, 'other run', never.signal);
    turns.answer(0);
    await settled();
    expect(turns.waiting).toEqual([]);
    never.abort();
    await answerAll(opened, driven);
  });

  it('give back every slot, also when each waits for its turn on the thread', async () => {
    const slots = createSlots({ perTenant: 3 });
    const shares = { ...UNSHARED, enter: settled };
    const opened = await openWithTurns(60, { slots: { tasks: slots }, parts: { shares } });
    const { bench } = opened;
    const runId = await bench.createRun('r', { concurrency: 2 });
    await answerAll(opened, bench.engine.drive(owner, runId));
    const taken = [1, 2, 3].map(() => slots.enter(owner.tenant, 'other run', new AbortController().signal));
    expect(taken.some((slot) => slot instanceof Promise)).toBe(false);
  });

  it('are not handed over ahead when they take long', async () => {
    const opened = await openWithTurns(9);
    const { bench, turns } = opened;
    const runId = await bench.createRun('r', { concurrency: 2 });
    const driven = bench.engine.drive(owner, runId);
    await until(() => expect(turns.atWork).toEqual([0, 1]));
    await bench.clock.advance(300);
    turns.answer(0);
    await until(() => expect(turns.atWork).toEqual([1, 2]));
    await settled();
    expect(turns.waiting).toEqual([]);
    await answerAll(opened, driven);
  });

  it('leave the log of any other agent, in whatever order they end', async () => {
    const plain = await openBench({ tasks: countingTasks(12) });
    const plainId = await plain.createRun('r');
    await plain.engine.drive(owner, plainId);
    const expected = (await plain.events(plainId)).map(({ type, nodeId, sequence }) => ({
      type,
      nodeId,
      sequence,
    }));
    const orders = fc.array(fc.nat(100), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 1, max: 5 }), async (order, concurrency) => {
        const opened = await openWithTurns(12);
        const { bench, turns } = opened;
        const runId = await bench.createRun('r', { concurrency });
        const driven = bench.engine.drive(owner, runId);
        for (const choice of order) {
          await until(() => expect(turns.atWork).not.toEqual([]));
          turns.answer(turns.atWork[choice % turns.atWork.length]);
          await settled();
        }
        await answerAll(opened, driven);
        const events = await bench.events(runId);
        expect(events.map(({ type, nodeId, sequence }) => ({ type, nodeId, sequence }))).toEqual(expected);
        expect(turns.mostAtWork).toBeLessThanOrEqual(concurrency);
      }),
      { numRuns: 40 },
    );
  });
});
