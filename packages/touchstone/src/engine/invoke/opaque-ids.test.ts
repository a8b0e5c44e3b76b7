import { asId, type Digest, type RunId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { answered, countingTasks, openBench, owner } from '../testing/bench.js';
import { noteId, openAgentIds, seedFacts } from './opaque-ids.js';

const runId = asId<RunId>('run-01m7gphmwx7vps0qyyf6ak6f49');
const suite = asId<Digest>('sha256:00');

it('ids are the same for the same invocation, whichever was asked for before, and different for any other', () => {
  const units = Array.from({ length: 300 }, (_, at) => [at % 100, Math.floor(at / 100)] as const);
  const idsOf = openAgentIds(runId);
  const inOrder = units.map(([ordinal, repeat]) => idsOf(ordinal, repeat));
  const alone = units.map(([ordinal, repeat]) => openAgentIds(runId)(ordinal, repeat));
  const mixed = units.toReversed().map(([ordinal, repeat]) => idsOf(ordinal, repeat));
  expect(alone).toEqual(inOrder);
  expect(mixed.toReversed()).toEqual(inOrder);
  const other = units.map(([ordinal, repeat]) => openAgentIds(asId('run-2'))(ordinal, repeat));
  const ids = [...inOrder, ...other].flatMap((one) => [one.runId.slice(4), one.invocationId.slice(4)]);
  expect(new Set(ids).size).toBe(4 * units.length);
});

it('notes and seeds are named alike, and in the order in which they were written', () => {
  const notes = [0, 1, 10].map((n) => noteId(runId, asId('inv-0.0'), n));
  const seeds = [0, 1, 10].map((index) => seedFacts(suite, 0, index).id);
  for (const ids of [notes, seeds]) {
    expect(ids).toEqual([...ids].sort());
    for (const id of ids) expect(id).toMatch(/^mem-[0-9a-f]{26}\.\d{3}$/);
  }
});

it('a seed without a date has the same one in every run of its suite, and not the same as its neighbours', () => {
  const dates = Array.from({ length: 50 }, (_, index) => seedFacts(suite, 0, index).createdAt);
  expect(dates).toEqual(Array.from({ length: 50 }, (_, index) => seedFacts(suite, 0, index).createdAt));
  expect(new Set(dates).size).toBe(50);
  for (const date of dates) expect(date).toMatch(/^2025-/);
});

it('no id of an evaluation tells its run, its task or its repeat, and the log names both', async () => {
  const given: { readonly runId: string; readonly invocationId: string }[] = [];
  const bench = await openBench({
    tasks: countingTasks(3),
    behave: (input, _host, { runId: run, invocationId }) => {
      given.push({ runId: run, invocationId });
      return answered(`answer ${input}`);
    },
  });
  const evaluated = await bench.createRun('run-of-an-evaluation', { repeats: 2 });
  await bench.engine.drive(owner, evaluated);
  for (const ids of given) {
    expect(ids.runId).toMatch(/^run-[0-9a-f]{26}$/);
    expect(ids.invocationId).toMatch(/^inv-[0-9a-f]{26}$/);
  }
  expect(new Set(given.map((ids) => ids.runId)).size).toBe(6);
  const started = (await bench.events(evaluated)).flatMap(({ type, payload }) =>
    type === 'agent.invocation.started' ? [(payload as { invocationId: string }).invocationId] : [],
  );
  expect(started).toEqual(['inv-0.0', 'inv-0.1', 'inv-1.0', 'inv-1.1', 'inv-2.0', 'inv-2.1']);
});
