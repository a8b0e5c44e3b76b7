import type { Fork, RunId } from '@touchstone/protocol';
import type { NewEvent, Payloads, RunEvent } from '@touchstone/protocol/bodies';
import {
  ControlPending,
  type LogEntry,
  type Run,
  type RunChange,
  type StoredEntry,
  type TaskRecord,
} from '../../ports/index.js';
import { hasEffect } from '../kinds/workflow.js';
import { stopping } from '../log/endings.js';
import type { DriveContext } from '../run/drive-context.js';
import { obey } from '../run/watching.js';
import { createRefold, type Refold } from './refold.js';

// A fork begins with another run's history. Copying it calls no agent: what was recorded is read and written again, under
// the same ids. The length of its own log says how far it got, so a crash loses nothing.

const PAGE = 500;

/** The history before the point where a branch leaves it. The rest is driven like any run. */
export async function copyPrefix(context: DriveContext, run: Run, fork: Fork): Promise<Run> {
  let copied = run.eventCount;
  while (copied < fork.fromSeq && !context.state.leaving) {
    const page = await readPage(context, run, fork, copied);
    const before = page.filter(({ firstSequence }) => firstSequence < fork.fromSeq);
    await write(context, copied, before, copied === 0 ? { startedAt: context.parts.clock.now() } : undefined);
    copied = endOf(before);
  }
  return (await context.parts.store.runs.get(run.owner, run.runId)) ?? run;
}

/** The whole history. Every result in it is folded again; where that gives something else, the log says so. */
export async function replay(context: DriveContext, run: Run, fork: Fork): Promise<void> {
  const { parts, state } = context;
  const source = await parts.store.runs.get(run.owner, fork.source);
  if (!source) throw new Error(`Run ${fork.source}, which is being replayed, is gone.`);
  const refold = await createRefold(parts, run, fork, source);
  const pending = { from: ['pending'], status: 'running', control: null } as const;
  if (run.status === 'pending') await parts.store.runs.request(run.owner, run.runId, pending);
  let length = run.eventCount;
  let copied = length - (await countNotes(context, run, fork));
  while (copied < source.eventCount) {
    if (state.leaving) return;
    if (state.stop) return cancel(context, run, length);
    const page = await readPage(context, run, fork, copied);
    // The last word is written by itself, when everything it sums up is in the log.
    const last = page.findIndex((stored) => endOf([stored]) === source.eventCount);
    const entries = last > 0 ? page.slice(0, last) : page.slice(0, last < 0 ? page.length : 1);
    const change = rowChange(source, parts.clock.now(), length === 0, last === 0);
    const written = await copyChecked(context, refold, length, entries, change);
    if (written === undefined) continue;
    length += written;
    copied = endOf(entries);
  }
}

/**
 * Where the replay of a workflow with an effect has to go on by itself: its source was cancelled before its last node, so
 * there is no outcome to read again. Undefined for everything else that is replayed.
 */
export async function unfinishedAt(
  { parts }: DriveContext,
  { owner, plan }: Run,
  { source: sourceId, mode }: Fork,
): Promise<number | undefined> {
  if (mode !== 'replay' || plan.kind !== 'workflow' || !hasEffect(plan)) return undefined;
  const source = await parts.store.runs.get(owner, sourceId);
  return source?.status === 'cancelled' ? source.eventCount - 1 : undefined;
}

/**
 * Some entries of the source. A step whose records are more than a page is sealed part by part: once its records are in
 * the copy, only their scores are still needed. Sealing them again, with the entry, changes nothing.
 */
async function readPage(
  { parts, lease }: DriveContext,
  { owner }: Run,
  { source }: Fork,
  from: number,
): Promise<readonly StoredEntry[]> {
  const { log } = parts.store;
  const sealed: TaskRecord[] = [];
  for (;;) {
    const [first, ...rest] = await log.entries(owner, source, from, PAGE, sealed.length);
    if (!first) return [];
    if (!first.partial) return [{ ...first, records: [...sealed, ...first.records] }, ...rest];
    await log.seal(lease, first.records);
    sealed.push(...first.records.map(({ bodies: _, ...record }) => ({ ...record, events: [] })));
  }
}

const endOf = (entries: readonly StoredEntry[]): number => {
  const last = entries.at(-1);
  return last ? last.firstSequence + last.eventCount : 0;
};

/** How many events were written; undefined when the run is to be cancelled before its last word. */
async function copyChecked(
  context: DriveContext,
  refold: Refold,
  at: number,
  page: readonly StoredEntry[],
  change: RunChange | undefined,
): Promise<number | undefined> {
  const checked: StoredEntry[] = [];
  let added = 0;
  for (const stored of page) {
    const notes = await refold(stored);
    added += notes.length;
    checked.push(...withNotes(stored, notes));
  }
  try {
    await write(context, at, checked, change, change?.status !== undefined);
  } catch (error) {
    if (!(error instanceof ControlPending)) throw error;
    await obey(context);
    return undefined;
  }
  return page.reduce((sum, { eventCount }) => sum + eventCount, added);
}

/** A note stands after the step it is about, and before the events that end the run. */
function withNotes(stored: StoredEntry, notes: readonly NewEvent[]): readonly StoredEntry[] {
  if (notes.length === 0) return [stored];
  const note: StoredEntry = {
    firstSequence: stored.firstSequence,
    eventCount: notes.length,
    entry: { kind: 'events', events: notes },
    records: [],
  };
  return stored.entry.kind === 'step' ? [stored, note] : [note, stored];
}

async function write(
  { parts, lease }: DriveContext,
  at: number,
  page: readonly StoredEntry[],
  run: RunChange | undefined,
  unlessControlled = false,
): Promise<void> {
  const entries: readonly LogEntry[] = page.map(({ entry }) => entry);
  await parts.store.log.commit(lease, {
    seals: page.flatMap(({ records }) => records),
    entries,
    firstSequence: at,
    ...(run && { run }),
    ...(unlessControlled && { unlessControlled: true }),
  });
}

function rowChange(source: Run, now: number, isFirst: boolean, isLast: boolean): RunChange | undefined {
  if (!isFirst && !isLast) return undefined;
  return {
    ...(isFirst && { startedAt: now }),
    ...(isLast && {
      status: source.status,
      completedAt: now,
      ...(source.error && { error: source.error }),
      ...(source.headline && { headline: source.headline }),
    }),
  };
}

/** A replay that is stopped has nothing to drain: a cancel is all that can be asked of it. */
async function cancel({ parts, lease, state }: DriveContext, run: Run, at: number): Promise<void> {
  if (!state.stop) return;
  const { events, run: change } = stopping(run, state.stop, parts.clock.now(), 0);
  await parts.store.log.append(lease, {
    entries: [{ kind: 'events', events }],
    firstSequence: at,
    run: change,
  });
}

/** Events of the copy that the source does not have. A note that the source brought along is about another run. */
async function countNotes({ parts }: DriveContext, run: Run, { source }: Fork): Promise<number> {
  const { owner, runId, eventCount } = run;
  let count = 0;
  for (let after = -1; after < eventCount - 1; ) {
    const page = await parts.store.log.read(owner, runId, after, PAGE);
    count += page.filter(
      ({ type, payload }) => type === 'replay.diverged' && isAbout(payload, source),
    ).length;
    after = page.at(-1)?.sequence ?? eventCount;
  }
  return count;
}

const isAbout = (payload: RunEvent['payload'], source: RunId): boolean =>
  (payload as Payloads['replay.diverged']).sourceRunId === source;
