import { isHostError, type RepeatScore, type TaskResult } from '@touchstone/protocol';
import {
  AgentChanged,
  ControlPending,
  type LogEntry,
  type MaybePromise,
  type Run,
  type Slots,
  Withdrawn,
} from '../../ports/index.js';
import { invocationIdOf } from '../invoke/invocation.js';
import type { SpendMeter } from '../invoke/spend-meter.js';
import type { ExecutionResult, Executor, RunKind } from '../kinds/run-kind.js';
import type { Backlog, SealedRepeat } from '../log/backlog.js';
import type { Committer } from '../log/committer.js';
import { beginning, completion, type Ending, failure, resumption, stopping } from '../log/endings.js';
import type { Parts } from '../parts.js';
import { wasUnseen } from '../work/presence.js';
import type { DriveState } from './drive-context.js';
import { countAccess, graverStop, isOverspent, nextStep, type Stop, type View } from './next-step.js';
import { mayWait, type TurnLine, type UnitSlot } from './turn-line.js';
import type { PlannedUnit, Units } from './units.js';

export type Loop = {
  readonly parts: Parts;
  readonly run: Run;
  readonly kind: RunKind;
  readonly executor: Executor;
  readonly state: DriveState;
  readonly backlog: Backlog;
  readonly units: Units;
  readonly committer: Committer;
  readonly meter: SpendMeter;
  /** Reads whether a cancel or a pause was requested since, and stops for it. */
  readonly obey: () => Promise<void>;
  /** Aborts every running invocation; one for the whole drive, because runs stop as a whole. */
  readonly abort: AbortController;
  /** Waits until a unit may begin, or may be handed over ahead of a slot; undefined when it is not to begin any more. */
  readonly enterSlot: (isAhead: boolean) => ReturnType<Slots['enter']>;
  /** Units that have a slot, and those that wait with the agent for one. */
  readonly line: TurnLine;
  /** Lets units go that wait for a slot. */
  readonly withdrawal: AbortController;
  /** How many units may run here at a time. It changes while a run is spread. */
  slots: () => number;
  /** Once other processes execute units of the run, too. */
  shared: SharedWork | undefined;
};

/** Units that others execute. */
export type SharedWork = {
  /** More than 0 while one of them may still be sealed. */
  readonly running: number;
  /** A unit that was executed here has ended. */
  unitEnded(): void;
};

/**
 * The only branching loop of the engine: ask what is next, do it, until there is nothing more to do here. True when it has let go
 * of a run that goes on.
 */
export async function runLoop(loop: Loop): Promise<boolean> {
  const { state, abort } = loop;
  for (;;) {
    const view = viewOf(loop);
    switch (nextStep(view)) {
      case 'start':
        void execute(loop, loop.units.take(), loop.line.take());
        break;
      case 'queue':
        void execute(loop, loop.units.take(), loop.line.wait());
        break;
      case 'wait':
        // With nothing to write it would wake the loop at once, and the renewal that is waited for would never get its turn.
        if (view.running === 0 && view.uncommitted > 0) loop.committer.flush();
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
        break;
      case 'withdraw':
        loop.withdrawal.abort();
        break;
      case 'abort':
        abort.abort(new Error('The run is stopping.'));
        break;
      case 'leave':
        return true;
      case 'crash':
        await crash(loop);
        return false;
      case 'stop':
        if (state.stop?.kind === 'pause' && (await noticeChange(loop))) break;
        await end(loop, stopping(loop.run, state.stop as Stop, loop.parts.clock.now(), loop.meter.spentUsd));
        return false;
      case 'complete':
        if (await noticeChange(loop)) break;
        if (await complete(loop)) return false;
        break;
    }
  }
}

const viewOf = (loop: Loop): View => {
  const { parts, state, units, committer, slots, line, meter, abort, withdrawal, shared } = loop;
  return {
    leaving: state.leaving,
    unsure: isUnsure(parts, state),
    draining: state.draining,
    crashed: state.crash !== undefined,
    halted: state.halted,
    stop: state.stop,
    overspent: isOverspent(state.stop, meter.spentUsd),
    aborted: abort.signal.aborted,
    withdrawn: withdrawal.signal.aborted,
    unfinished: units.left || state.dropped,
    running: state.running + line.waiting + (shared?.running ?? 0),
    uncommitted: committer.uncommitted,
    free: units.leftHere ? slots() - state.running : 0,
    ahead: units.leftHere ? aheadOf(loop) : 0,
  };
};

/** Nothing is handed over ahead where money may run out, and where others wait for a slot. */
const aheadOf = ({ parts, kind, executor, line, slots }: Loop): number =>
  executor.takesTurns && kind.ceilingUsd === undefined && !parts.slots.tasks.isFull
    ? mayWait(line, slots())
    : 0;

/** The lease may have run out, or others may have taken this process for lost. */
const isUnsure = (parts: Parts, { heldUntil, presence }: DriveState): boolean =>
  parts.clock.elapsed() >= heldUntil || wasUnseen(parts.sharing, presence);

/**
 * Executes one unit, when there is a slot for it or it may wait with the agent, and hands its record to the committer. Work that
 * ends after the abort leaves no trace.
 */
async function execute(loop: Loop, unit: PlannedUnit, slot: UnitSlot): Promise<void> {
  const { state, abort } = loop;
  // It may get the slot of another unit while it waits for its turn on the thread.
  const isAhead = slot.isWaiting;
  const entering = loop.enterSlot(isAhead);
  const leave = entering instanceof Promise ? await entering : entering;
  if (entering instanceof Promise) slot.begun();
  if (!isAhead) slot.enter(leave);
  let isExecuted = false;
  try {
    if (leave && entering instanceof Promise && isUnsure(loop.parts, state)) loop.units.giveBack(unit);
    else {
      const executed = leave && (await executeWithin(loop, unit, slot));
      isExecuted = executed !== undefined;
      if (!executed || abort.signal.aborted) state.dropped = true;
      else await seal(loop, unit, executed);
    }
  } catch (error) {
    if (error instanceof Withdrawn) loop.units.giveBack(unit);
    else if (abort.signal.aborted || error instanceof AgentChanged) state.dropped = true;
    else state.crash ??= { error };
    if (error instanceof AgentChanged) state.stop = graverStop(state.stop, { kind: 'changed' });
  }
  loop.line.end(slot, isExecuted);
  loop.shared?.unitEnded();
  state.wake();
}

function executeWithin({ parts: { within }, run, executor, abort }: Loop, unit: PlannedUnit, slot: UnitSlot) {
  const turn = executor.takesTurns ? slot : undefined;
  if (!within) return executor.execute(unit, abort.signal, turn);
  const runId = (run.plan.kind === 'eval' && run.plan.rejudgeOf) || run.runId;
  const invocationId = invocationIdOf(unit.ordinal, unit.repeat);
  return within({ runId, invocationId }, () => executor.execute(unit, abort.signal, turn));
}

/** At once where the result is at hand, as it is for all but the first task of a page. */
function seal(loop: Loop, unit: PlannedUnit, executed: ExecutionResult): MaybePromise<void> {
  const { backlog, kind, parts } = loop;
  const { score, events } = executed.record;
  const sealed = { score, eventCount: events.length, at: parts.clock.now() };
  const all = backlog.seal(unit.position, unit.repeat, sealed);
  const result = all && foldStep(kind, unit.ordinal, all);
  if (result instanceof Promise) return result.then((folded) => handOver(loop, unit, executed, all, folded));
  handOver(loop, unit, executed, all, result);
}

// In one go, without a pause: a step may not be ready for the log before its last record waits to be written.
function handOver(
  { backlog, committer, state }: Loop,
  { position, ordinal }: PlannedUnit,
  { record, halt }: ExecutionResult,
  all: readonly SealedRepeat[] | undefined,
  result: TaskResult | undefined,
): void {
  if (all) backlog.finish(position, ordinal, all, result);
  if (halt) state.halted = true;
  const denial = record.score && countAccess(state.access, record.score.score);
  if (denial) state.stop = graverStop(state.stop, { kind: 'denied', denial });
  committer.add(record, result);
}

/** The result of a step whose last repeat is in. */
export function foldStep(
  kind: RunKind,
  ordinal: number,
  all: readonly SealedRepeat[],
): MaybePromise<TaskResult | undefined> {
  const scores: RepeatScore[] = [];
  for (const { score } of all) if (score) scores.push(score);
  return kind.result(ordinal, scores);
}

/** A limit may have come too late to stop a run that has nothing left to do. A changed agent has not: it is looked at last. */
async function noticeChange({ executor, state }: Loop): Promise<boolean> {
  if (!(await executor.hasChanged?.())) return false;
  state.stop = { kind: 'changed' };
  return true;
}

/** About what folding a short run takes of the thread. */
const CLOSING_MS = 2;

/** False when a cancel or a pause was acknowledged in the last moment; then that is done instead. */
async function complete(loop: Loop): Promise<boolean> {
  const { parts, run, kind, executor, committer } = loop;
  // Nothing is executed any more. The thread of a module agent takes 10 ms to end, and a drive ends when it has.
  executor.close().catch(() => undefined);
  // Runs that began together end together, and each reads all of its results.
  await parts.shares.enter(run.owner.tenant, CLOSING_MS);
  const closing = await kind.closing(parts.clock.now(), executor.modelClass);
  const { run: change, ...ending } = completion(run, closing, parts.clock.now());
  try {
    await committer.write([{ kind: 'events', ...ending }], change, true);
    return true;
  } catch (error) {
    if (!(error instanceof ControlPending)) throw error;
    await loop.obey();
    return false;
  }
}

/** An impossible state stops the run. Its cause goes to the operator; the client learns that it happened. */
async function crash(loop: Loop): Promise<void> {
  const { parts, run, state } = loop;
  const { error } = state.crash ?? {};
  // A full disk is no state of the run: it is left as it is, and taken up when the store can be written again.
  if (isHostError(error) && error.code === 'unavailable') throw error;
  parts.log.error('run.crashed', { runId: run.runId }, state.crash?.error);
  const message = "The host met an internal error while driving this run. The operator's log has the cause.";
  await end(loop, failure(run, { code: 'internal_error', message }, parts.clock.now()));
}

/** Sealed steps go in first, in plan order with gaps skipped; then the last word. */
async function end({ backlog, committer }: Loop, ending: Ending): Promise<void> {
  const entries: LogEntry[] = [...backlog.takeRest(), { kind: 'events', events: ending.events }];
  await committer.write(entries, ending.run);
}

/** What has to be written before the first step: the beginning of the log, or the end of a pause. */
export function openingOf(run: Run, kind: RunKind, now: number): Ending | undefined {
  if (run.eventCount === 0) return beginning(run, kind.opening(now), now);
  const isResumed = run.status === 'running' && run.control === undefined;
  if (run.pausedAt !== undefined && isResumed) return resumption(run, now);
  return undefined;
}
