import {
  asId,
  type EvalPlan,
  type Owner,
  type RunId,
  type RunStatus,
  type TaskId,
} from '@touchstone/protocol';
import { type Body, type NewEvent, type RunEvent, toBody } from '@touchstone/protocol/bodies';
import { expect } from 'vitest';
import type {
  Clock,
  Commit,
  Lease,
  LogEntry,
  NewRun,
  Run,
  Store,
  TaskRecord,
} from '../../../packages/touchstone/src/ports/index.js';

// What the store's cases are built from: owners, runs, records.

export const ACME: Owner = { tenant: 'acme', workspace: 'main' };
/** Same tenant, other workspace; and the reverse. Neither may see anything of ACME's. */
export const OTHER_OWNERS: readonly Owner[] = [
  { tenant: 'acme', workspace: 'lab' },
  { tenant: 'globex', workspace: 'main' },
];

export const START = 1_700_000_000_000;
export const runIdOf = (name: string): RunId => asId(name);

/** Time stands still until it is moved. */
export type TestClock = Clock & { move(ms: number): void };
export function testClock(): TestClock {
  let now = START;
  return {
    now: () => now,
    elapsed: () => now - START,
    sleep: () => Promise.resolve(),
    move(ms) {
      now += ms;
    },
  };
}

export const evalPlan = (overrides: Partial<EvalPlan> = {}): EvalPlan => ({
  kind: 'eval',
  suite: { suiteId: asId('core.acme.refunds'), version: asId('1.0.0'), digest: asId('sha256:suite') },
  agent: { agentId: asId('local.acme.support'), version: asId('1.0.0'), digest: asId('sha256:agent') },
  modes: ['golden'],
  totalTasks: 3,
  repeats: 1,
  concurrency: 8,
  ...overrides,
});

export const newRun = (runId: string, overrides: Partial<NewRun> = {}): NewRun => ({
  runId: runIdOf(runId),
  owner: ACME,
  principal: 'ci',
  origin: 'host',
  workflowId: 'core.acme.refunds',
  plan: evalPlan(),
  request: {},
  createdAt: START,
  engineVersion: 1,
  ...overrides,
});

export async function createRun(store: Store, runId: string, overrides: Partial<NewRun> = {}): Promise<Run> {
  const created = await store.runs.create(newRun(runId, overrides));
  if ('activeRunId' in created) throw new Error('The run was refused.');
  return created;
}

export async function takeLease(store: Store, run: Pick<Run, 'owner' | 'runId'>): Promise<Lease> {
  const lease = await store.leases.take(run.owner, run.runId, 30_000);
  if (!lease) throw new Error('The lease is held.');
  return lease;
}

export async function leasedRun(
  store: Store,
  runId: string,
  overrides: Partial<NewRun> = {},
): Promise<{ readonly run: Run; readonly lease: Lease }> {
  const run = await createRun(store, runId, overrides);
  return { run, lease: await takeLease(store, run) };
}

export const started = (at = START): NewEvent => ({ type: 'run.started', at, payload: { workflowId: 'w' } });
export const completed = (at = START): NewEvent => ({ type: 'run.completed', at, payload: {} });

/** One event of a task, with content that must come back byte for byte. */
export const decided = (taskId: string, decision: unknown, cause?: number): NewEvent => ({
  type: 'agent.decided',
  at: START + 5,
  nodeId: taskId,
  payload: { agentId: asId('local.acme.support'), decision: body(decision) },
  ...(cause !== undefined && { cause }),
});

export const body = (value: unknown): Body => toBody(value as Parameters<typeof toBody>[0]);

export const record = (
  ordinal: number,
  repeat = 0,
  events: readonly NewEvent[] = block(ordinal),
): TaskRecord => ({
  ordinal,
  repeat,
  events,
  score: {
    score: { kind: 'scored', value: 1, findings: [] },
    outcome: 'completed',
    latencyMs: 3,
    cost: { unpriced: 0 },
  },
});

const block = (ordinal: number): readonly NewEvent[] => [
  decided(taskName(ordinal), 'first'),
  decided(taskName(ordinal), 'second', 0),
];

export const taskName = (ordinal: number): TaskId => asId(`task-${ordinal}`);

export const step = (ordinal: number, eventCount = 2, repeats = 1): LogEntry => ({
  kind: 'step',
  ordinal,
  repeats,
  eventCount,
  result: { taskId: taskName(ordinal), score: 1, passed: true },
  at: START + 9,
});

export const events = (...list: readonly NewEvent[]): LogEntry => ({ kind: 'events', events: list });

/** Commits `run.started`, then one sealed step per ordinal, each in a commit of its own. */
export async function commitSteps(
  store: Store,
  lease: Lease,
  ordinals: readonly number[],
  entryOf: (ordinal: number) => LogEntry = step,
): Promise<number> {
  await store.log.commit(lease, {
    entries: [events(started())],
    firstSequence: 0,
    run: { status: 'running' },
  });
  let firstSequence = 1;
  for (const ordinal of ordinals) {
    await store.log.commit(lease, { seals: [record(ordinal)], entries: [entryOf(ordinal)], firstSequence });
    firstSequence += 3;
  }
  return firstSequence;
}

export const endingCommit = (firstSequence: number, status: RunStatus = 'completed'): Commit => ({
  entries: [events(completed())],
  firstSequence,
  run: { status, completedAt: START + 10 },
});

/** All events of a run, page by page. */
export async function readAll(store: Store, runId: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await store.log.read(ACME, runId, events.length - 1, 500);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** What a rejected promise was rejected with; fails when it was not. */
export async function refusalOf(work: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  const refusal = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(Error);
  return refusal as Error;
}
