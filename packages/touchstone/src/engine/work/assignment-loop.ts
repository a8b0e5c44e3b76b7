import { setMaxListeners } from 'node:events';
import { isHostError } from '@touchstone/protocol';
import {
  AgentChanged,
  type Assignment,
  type AssignmentAnswer,
  type OpenClaim,
  type Run,
  type Slots,
  WorkEnded,
  type WorkStop,
} from '../../ports/index.js';
import type { Executor } from '../kinds/run-kind.js';
import type { Parts } from '../parts.js';
import { createGathering, enterSlot } from '../run/open-loop.js';
import {
  type AssignmentStop,
  type AssignmentView,
  assignmentStop,
  nextAssignmentStep,
  unitsWanted,
} from './assignment-step.js';
import { type AssignmentWriter, createAssignmentWriter } from './assignment-writer.js';
import { type ClaimedUnit, claimedUnits } from './claimed-units.js';
import { wasUnseen } from './presence.js';
import type { TurnsAlone } from './turns-alone.js';
import type { UnitNumbers } from './unit-numbers.js';

const ABANDONED =
  'The processes that executed this task were lost, three times in a row, so it was not tried again. Look for what ends them: the log of the system, memory, the agent.';

/** Facts of an assignment that change while it is executed. */
type AssignmentState = {
  isOver: boolean;
  /** Another process has it, because this one was counted as lost. */
  isTaken: boolean;
  leaving: boolean;
  releasing: boolean;
  stop: AssignmentStop | undefined;
  isExhausted: boolean;
  running: number;
  runningAlone: boolean;
  /** The presence of this process when the assignment was last its own for certain. */
  presence: number | undefined;
  averageMs: number | undefined;
  wake: () => void;
};

export type AssignmentContext = {
  readonly parts: Parts;
  readonly run: Run;
  readonly assignment: Assignment;
  readonly claims: readonly OpenClaim[];
  readonly presence: number | undefined;
  readonly numbers: UnitNumbers;
  readonly executor: Executor;
  readonly alone: TurnsAlone;
};

/** An assignment that this process executes. Done when it has been let go of. */
export type AssignmentWork = {
  readonly done: Promise<void>;
  /** What is asked of the run, as it was read. */
  obey(asked: Parameters<typeof assignmentStop>[0]): void;
  /** It was found to be held here, by a look that began with this presence. */
  found(presence: number | undefined): void;
  /** Another process has it, or the work has ended. */
  end(): void;
  /** Lets go of it when what it has claimed is finished. */
  release(): void;
  /** Lets go of it now. */
  leave(): void;
};

type AssignmentLoop = AssignmentContext & {
  readonly state: AssignmentState;
  readonly ready: ClaimedUnit[];
  /** How many units of each claim are not executed. */
  readonly left: Map<number, number>;
  readonly writer: AssignmentWriter;
  readonly abort: AbortController;
  readonly withdrawal: AbortController;
};

export function startAssignment(context: AssignmentContext): AssignmentWork {
  const loop = openLoop(context);
  const { state } = loop;
  const change = (apply: () => void) => () => {
    apply();
    state.wake();
  };
  return {
    done: begin(loop),
    obey: (asked) => obey(loop, asked),
    found(presence) {
      state.presence = presence;
    },
    end: change(() => {
      [state.isOver, state.isTaken] = [true, true];
    }),
    release: change(() => {
      state.releasing = true;
    }),
    leave: change(() => {
      state.leaving = true;
    }),
  };
}

function openLoop(context: AssignmentContext): AssignmentLoop {
  const { parts, assignment, presence } = context;
  const state: AssignmentState = {
    isOver: false,
    isTaken: false,
    leaving: false,
    releasing: false,
    stop: undefined,
    isExhausted: false,
    running: 0,
    runningAlone: false,
    presence,
    averageMs: undefined,
    wake: () => undefined,
  };
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const writer = createAssignmentWriter({
    assignments: parts.store.assignments,
    assignment,
    gather: createGathering(parts),
    onAnswer: (answer) => integrate(loop, answer),
    onFailed: (error) => fail(loop, error),
    onWritten: () => state.wake(),
  });
  const loop: AssignmentLoop = {
    ...context,
    state,
    ready: [],
    left: new Map(),
    writer,
    abort,
    withdrawal: new AbortController(),
  };
  return loop;
}

async function begin(loop: AssignmentLoop): Promise<void> {
  for (const claim of loop.claims) await addUnits(loop, claim, true);
  await runAssignment(loop);
}

/** Asks what is next, and does it, until the assignment has been let go of. */
async function runAssignment(loop: AssignmentLoop): Promise<void> {
  const { state, ready, writer } = loop;
  for (;;) {
    const view = viewOf(loop);
    switch (nextAssignmentStep(view)) {
      case 'start':
        void execute(loop, ready.shift() as ClaimedUnit);
        break;
      case 'claim':
        writer.ask({ most: view.wanted, least: freeSlots(view) });
        break;
      case 'drop':
        ready.length = 0;
        loop.withdrawal.abort();
        break;
      case 'abort':
        loop.abort.abort(new Error('The run is stopping.'));
        break;
      case 'wait':
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
        break;
      case 'leave':
        if (state.isTaken) await tellReturn(loop);
        return;
      case 'release':
        await letGo(loop, false);
        return;
      case 'finish':
        await letGo(loop, true);
        return;
    }
  }
}

const freeSlots = ({ slots, running, ready }: AssignmentView): number => Math.max(1, slots - running - ready);

function viewOf(loop: AssignmentLoop): AssignmentView {
  const { parts, state, ready, writer, abort, withdrawal, assignment } = loop;
  const { slots } = assignment;
  return {
    isOver: state.isOver,
    leaving: state.leaving,
    releasing: state.releasing,
    stop: state.stop,
    isExhausted: state.isExhausted,
    running: state.running,
    aborted: abort.signal.aborted,
    withdrawn: withdrawal.signal.aborted,
    ready: ready.length,
    unsealed: writer.unsealed,
    isAsking: writer.isAsking,
    wanted: unitsWanted({ slots, running: state.running, ready: ready.length }, state.averageMs),
    slots,
    isUnsure: isUnsure(parts, state),
    isAlone: state.runningAlone || ready[0]?.alone === true,
  };
}

const isUnsure = ({ sharing }: Parts, { presence }: AssignmentState): boolean => wasUnseen(sharing, presence);

/** The agent is looked at before the assignment is let go of: what was executed here is worth nothing if it has changed. */
async function letGo({ parts, assignment, executor, state }: AssignmentLoop, isDone: boolean): Promise<void> {
  const { assignments } = parts.store;
  if (state.stop !== 'abort' && (await executor.hasChanged?.()))
    await assignments.stop(assignment, 'changed');
  await assignments.release(assignment, isDone);
}

/** No task has ended this process. That it was told so is a help and no duty: the count only decides when a unit is tried alone. */
async function tellReturn({ parts, run, assignment, left }: AssignmentLoop): Promise<void> {
  const { runId } = run;
  await parts.store.assignments
    .returned(assignment, [...left.keys()])
    .catch((error) => parts.log.error('assignment.failed', { runId }, error));
}

/** Executes one unit, when there is a slot for it, and hands its record to the writer. */
async function execute(loop: AssignmentLoop, unit: ClaimedUnit): Promise<void> {
  const { state, abort } = loop;
  state.running += 1;
  state.runningAlone = unit.alone;
  const leave = await enter(loop, unit);
  try {
    // It may have waited for long.
    if (leave && isUnsure(loop.parts, state)) loop.ready.unshift(unit);
    else if (leave) await executeIn(loop, unit);
  } catch (error) {
    if (!abort.signal.aborted) await report(loop, error);
  }
  leave?.();
  state.running -= 1;
  state.runningAlone = false;
  state.wake();
}

function enter(
  { parts, run, alone, withdrawal }: AssignmentLoop,
  unit: ClaimedUnit,
): ReturnType<Slots['enter']> {
  return unit.alone ? alone.enter(withdrawal.signal) : enterSlot(parts, run, withdrawal.signal);
}

async function executeIn(loop: AssignmentLoop, unit: ClaimedUnit): Promise<void> {
  const { parts, assignment, executor, state, writer, abort } = loop;
  if (unit.isTakenOver && (await isSealed(loop, unit))) return writer.add(undefined, lastOf(loop, unit));
  if (unit.alone) await parts.store.assignments.noteAlone(assignment, unit.claim, unit.number);
  const startedAt = parts.clock.elapsed();
  const executed = unit.isGivenUp
    ? await executor.abandon?.(unit, ABANDONED, abort.signal)
    : await executor.execute(unit, abort.signal);
  if (!executed || abort.signal.aborted) return;
  state.averageMs = average(state.averageMs, parts.clock.elapsed() - startedAt);
  writer.add(executed.record, lastOf(loop, unit));
}

/** Who was taken for lost may have gone on, and sealed it since it was claimed. */
async function isSealed({ parts, assignment, numbers }: AssignmentLoop, unit: ClaimedUnit): Promise<boolean> {
  const steps = numbers.stepsOf({ first: unit.number, count: 1 });
  const sealed = await parts.store.assignments.sealedUnits(assignment, steps);
  return sealed.some(({ ordinal, repeat }) => ordinal === unit.ordinal && repeat === unit.repeat);
}

/** Counts a unit of a claim as done. The claim, when it was its last one. */
function lastOf({ left }: AssignmentLoop, { claim }: ClaimedUnit): number | undefined {
  const rest = (left.get(claim) ?? 1) - 1;
  left.set(claim, rest);
  if (rest === 0) left.delete(claim);
  return rest === 0 ? claim : undefined;
}

/** The last dozen of units count most. */
const average = (before: number | undefined, ms: number): number =>
  before === undefined ? ms : before + (ms - before) / 12;

/** What the driver has to end the run for. A store that is away is no state of the run: others go on with it. */
async function report(loop: AssignmentLoop, error: unknown): Promise<void> {
  const { parts, run, assignment, state } = loop;
  if (isHostError(error) && error.code === 'unavailable') {
    state.leaving = true;
    return;
  }
  const why: WorkStop = error instanceof AgentChanged ? 'changed' : 'crashed';
  if (why === 'crashed') parts.log.error('run.crashed', { runId: run.runId }, error);
  state.stop = 'abort';
  await parts.store.assignments.stop(assignment, why).catch((failure) => fail(loop, failure));
}

function fail({ parts, run, state }: AssignmentLoop, error: unknown): void {
  if (!(error instanceof WorkEnded)) parts.log.error('assignment.failed', { runId: run.runId }, error);
  state.isOver = true;
  state.wake();
}

function obey({ state }: AssignmentLoop, asked: Parameters<typeof assignmentStop>[0]): void {
  state.wake();
  const stop = assignmentStop(asked);
  if (stop !== undefined && state.stop !== 'abort') state.stop = stop;
}

/** Takes in what the store has answered to a write. */
async function integrate(loop: AssignmentLoop, answer: AssignmentAnswer): Promise<void> {
  const { state } = loop;
  if (!answer.isHeld) [state.isOver, state.isTaken] = [true, true];
  state.isExhausted ||= answer.isExhausted;
  obey(loop, answer);
  if (answer.claim) await addUnits(loop, { ...answer.claim, deaths: 0 }, loop.assignment.hasSealed);
}

async function addUnits(
  { parts, assignment, numbers, ready, left }: AssignmentLoop,
  claim: OpenClaim,
  mayBeSealed: boolean,
): Promise<void> {
  const { assignments } = parts.store;
  const sealed = mayBeSealed ? await assignments.sealedUnits(assignment, numbers.stepsOf(claim)) : [];
  const units = claimedUnits(claim, numbers, sealed);
  left.set(claim.first, units.length);
  ready.push(...units);
}
