import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSource } from './fork-sources.js';
import { type Event, eventsOf, readJson } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import {
  AGENT,
  BLIND_KEY,
  begin,
  type Diff,
  diffOf,
  finish,
  fork,
  golden,
  goldens,
  installSuite,
  openRunHost,
  type RunHost,
  untilEvent,
} from './run-host.js';

// Goal: the diff of any two runs is what a reader of both logs would find, whichever comes first. Method: runs of many
// kinds, all pairs of them, held against a comparison written here without the host's.
let setup: RunHost;
const runs: { [name: string]: string } = {};
const logs: { [name: string]: readonly Event[] } = {};

const SUITE = 'local.test.evals.laws';
const laws = goldens(5, (index) => ({ brokenIn: index % 2 === 1 ? ['2.0.0'] : [] }));

beforeAll(async () => {
  setup = await openRunHost();
  const { host } = setup;
  await installSuite(host, { suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks: laws });
  runs.first = await finish(host, SUITE);
  runs.same = await finish(host, SUITE, { configurable: { concurrency: 1 } });
  runs.worse = await finish(host, SUITE, { agentId: `${AGENT}@2.0.0` });
  runs.repeated = await finish(host, SUITE, { configurable: { repeats: 2 } });
  for (const name of [
    'golden tasks',
    'a judged rubric',
    'a budget that ran out',
    'a cancelled run',
    'an agent alone',
    'a workflow',
  ])
    runs[name] = await makeSource(setup, name);
  runs.replay = (await fork(host, runs.worse, { mode: 'replay' })).body.runId as string;
  runs.branch = (await fork(host, runs.worse, { mode: 'branch', fromSeq: 2 })).body.runId as string;
  for (const [name, runId] of Object.entries(runs)) logs[name] = await eventsOf(host, runId);
});
afterAll(() => setup.close());

const LEFT_OUT = new Set(['latencyMs', 'durationMs', 'diffRef']);
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !LEFT_OUT.has(name))
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      )
    : value;
/** What an event says, without clocks and without its own names. */
const lineOf = ({ type, nodeId, payload }: Event): string =>
  JSON.stringify([type, nodeId ?? null, payload], (_, value) => sorted(value));

function differences(a: readonly Event[], b: readonly Event[]): readonly string[] {
  const found: string[] = [];
  for (let seq = 0; seq < Math.max(a.length, b.length); seq += 1) {
    const [left, right] = [a[seq], b[seq]];
    if (left && right && lineOf(left) !== lineOf(right)) found.push(`${seq} changed`);
    else if (!left) found.push(`${seq} added`);
    else if (!right) found.push(`${seq} removed`);
  }
  return found;
}
const listed = ({ eventDiffs }: Diff) => eventDiffs.map(({ seq, op }) => `${seq} ${op}`);

const OPPOSITE: { readonly [op: string]: string } = {
  added: 'removed',
  removed: 'added',
  changed: 'changed',
};
/** The same diff, seen from the other side. */
const turned = ({ a, b, eventDiffs, stateDiff, ...rest }: Diff) => ({
  ...rest,
  a: b,
  b: a,
  eventDiffs: eventDiffs.map(({ seq, op, aEvent, bEvent }) => ({
    seq,
    op: OPPOSITE[op],
    ...(bEvent && { aEvent: bEvent }),
    ...(aEvent && { bEvent: aEvent }),
  })),
  stateDiff: Object.fromEntries(
    Object.entries(stateDiff).map(([member, one]) => [member, { a: one.b, b: one.a }]),
  ),
});

function expectLawful(diff: Diff): void {
  expect(check('run-diff-response', diff)).toEqual([]);
  expect(diff.divergedAtSeq).toBe(diff.eventDiffs[0]?.seq ?? null);
}

it('of all pairs of runs tells what the two logs tell, from either side', async () => {
  const names = Object.keys(runs);
  expect(names).toHaveLength(12);
  for (const one of names)
    for (const other of names) {
      const [a, b] = [runs[one] as string, runs[other] as string];
      const diff = await diffOf(setup.host, a, b);
      expectLawful(diff);
      expect(diff).toMatchObject({ a, b });
      expect(diff).not.toHaveProperty('truncated');
      expect({ one, other, found: listed(diff) }).toEqual({
        one,
        other,
        found: differences(logs[one] as readonly Event[], logs[other] as readonly Event[]),
      });
      expect(turned(await diffOf(setup.host, b, a))).toEqual(diff);
      for (const { seq, aEvent, bEvent } of diff.eventDiffs) {
        if (aEvent) expect(aEvent).toEqual(logs[one]?.[seq]);
        if (bEvent) expect(bEvent).toEqual(logs[other]?.[seq]);
      }
    }
});

it('is empty for a run and itself, for equal runs, and for a run and its forks', async () => {
  const equal = [
    ...Object.values(runs).map((runId) => [runId, runId]),
    [runs.first, runs.same],
    [runs.worse, runs.replay],
    [runs.worse, runs.branch],
    [runs.replay, runs.branch],
  ] as readonly [string, string][];
  for (const [a, b] of equal) {
    const diff = await diffOf(setup.host, a, b);
    expect(diff).toEqual({ a, b, divergedAtSeq: null, eventDiffs: [], stateDiff: {} });
  }
});

it('says how the runs ended, and when they are not runs of the same thing', async () => {
  const between = async (one: string, other: string) =>
    (await diffOf(setup.host, runs[one] as string, runs[other] as string)).stateDiff;
  expect(await between('first', 'worse')).toEqual({ agent: { a: `${AGENT}@1.0.0`, b: `${AGENT}@2.0.0` } });
  expect(await between('first', 'repeated')).toEqual({});
  expect(await between('first', 'a budget that ran out')).toMatchObject({
    status: { a: 'completed', b: 'failed' },
    error: { a: null, b: 'budget_exhausted' },
    suite: {},
  });
  expect(await between('a cancelled run', 'a workflow')).toMatchObject({
    status: { a: 'cancelled', b: 'completed' },
    agent: { b: null },
  });
});

describe('a diff that is too long', () => {
  it('ends honestly, at the same place from either side, and begins where the runs part', async () => {
    const suiteId = 'local.test.evals.long';
    const tasks = goldens(2_000, () => ({ brokenIn: ['2.0.0'] }));
    await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['golden'], tasks });
    const configurable = { concurrency: 32 };
    const a = await finish(setup.host, suiteId, { configurable });
    const b = await finish(setup.host, suiteId, { configurable, agentId: `${AGENT}@2.0.0` });
    const diff = await diffOf(setup.host, a, b);
    expectLawful(diff);
    expect(diff.truncated).toBe(true);
    const all = differences(await eventsOf(setup.host, a), await eventsOf(setup.host, b));
    expect(all.length).toBeGreaterThan(diff.eventDiffs.length);
    expect(listed(diff)).toEqual(all.slice(0, diff.eventDiffs.length));
    expect(diff.eventDiffs.length).toBeGreaterThanOrEqual(500);
    expect(turned(await diffOf(setup.host, b, a))).toEqual(diff);
  });
});

it('of a run that goes on is marked as not the last word', async () => {
  const gate = setup.hold();
  const suiteId = 'local.test.evals.unfinished';
  const tasks = [golden('t-0'), golden('t-1', { hold: true })];
  await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['golden'], tasks });
  const runId = await begin(setup.host, suiteId, { configurable: { concurrency: 1 } });
  await untilEvent(setup.host, runId, 'eval.scored');
  const diff = await diffOf(setup.host, runs.first as string, runId);
  expectLawful(diff);
  expect(diff).toMatchObject({ truncated: true, stateDiff: { status: { a: 'completed', b: 'running' } } });
  expect(await diffOf(setup.host, runId, runId)).toMatchObject({ truncated: true, eventDiffs: [] });
  gate.resolve();
  await eventsOf(setup.host, runId);
  expect(await diffOf(setup.host, runs.first as string, runId)).not.toHaveProperty('truncated');
});

describe('a diff is refused', () => {
  const ask = (path: string, key?: string) =>
    readJson(setup.host, path, { ...(key !== undefined && { key }) });

  it('without a run to hold it against', async () => {
    for (const query of ['', '?against=', '?other=x']) {
      const answer = await ask(`/v1/runs/${runs.first}:diff${query}`);
      expect({ status: answer.status, error: answer.body.error }).toEqual({
        status: 400,
        error: 'validation_error',
      });
    }
  });

  it('when either run is absent or another tenant’s, in the same words', async () => {
    const body = { workflowId: 'conformance-noop' };
    const created = await readJson(setup.host, '/v1/runs', { method: 'POST', body, key: OTHER_KEY });
    const own = created.body.runId as string;
    const absent = await ask('/v1/runs/run-absent:diff?against=run-absent', OTHER_KEY);
    expect(absent.status).toBe(404);
    for (const path of [
      `/v1/runs/${runs.first}:diff?against=${runs.same}`,
      `/v1/runs/${runs.first}:diff?against=run-absent`,
      `/v1/runs/${own}:diff?against=${runs.first}`,
      `/v1/runs/${runs.first}:diff?against=${own}`,
    ])
      expect(await ask(path, OTHER_KEY)).toEqual(absent);
    expect((await ask(`/v1/runs/${runs.first}:diff?against=run-absent`)).status).toBe(404);
    expect((await ask(`/v1/runs/run-absent:diff?against=${runs.first}`)).status).toBe(404);
  });

  it('to whoever may not read runs', async () => {
    const answer = await ask(`/v1/runs/${runs.first}:diff?against=${runs.same}`, BLIND_KEY);
    expect(answer.status).toBe(403);
  });
});
