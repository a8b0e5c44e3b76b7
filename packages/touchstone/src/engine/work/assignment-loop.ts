import { setMaxListeners } from 'node:events';
import { createGathering } from '../run/open-loop.js';
import { createTurnLine, mayWait } from '../run/turn-line.js';
import { type AssignmentOrder, addUnits, fail, integrate, obey } from './assignment-answers.js';
import {
  type AssignmentContext,
  type AssignmentLoop,
  type AssignmentState,
  isUnsure,
} from './assignment-state.js';
import { type AssignmentView, nextAssignmentStep, unitsWanted } from './assignment-step.js';
import { executeUnit } from './assignment-units.js';
import { createAssignmentWriter } from './assignment-writer.js';
import type { ClaimedUnit } from './claimed-units.js';

/** An assignment that this process executes. Done when it has been let go of. */
export type AssignmentWork = {
  readonly done: Promise<void>;
  /** What is asked of the run, as it was read. */
  obey(asked: AssignmentOrder): void;
  /** It was found to be held here, with so many slots, by a look that began with this presence. */
  found(slots: number, presence: number | undefined): void;
  /** Another process has it, or the work has ended. */
  end(): void;
  /** Lets go of it when what it has claimed is finished. */
  release(): void;
  /** Lets go of it now. */
  leave(): void;
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
    found(slots, presence) {
      [state.slots, state.presence] = [slots, presence];
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
    slots: assignment.slots,
    running: 0,
    runningAlone: false,
    presence,
    wake: () => undefined,
  };
  const abort = new AbortController();
  const withdrawal = new AbortController();
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
    withdrawal,
    line: createTurnLine({ state, withdrawn: withdrawal.signal, elapsed: parts.clock.elapsed }),
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
        void executeUnit(loop, ready.shift() as ClaimedUnit, loop.line.take());
        break;
      case 'queue':
        void executeUnit(loop, ready.shift() as ClaimedUnit, loop.line.wait());
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

/** Nothing is handed over ahead where money may run out, where others wait for a slot, and of what ended another process. */
function aheadOf({ parts, assignment, executor, state, ready, line }: AssignmentLoop): number {
  const [next] = ready;
  const mayNot = assignment.ceilingUsd !== undefined || parts.slots.tasks.isFull || next?.isTakenOver;
  return executor.takesTurns && !mayNot ? mayWait(line, state.slots) : 0;
}

function viewOf(loop: AssignmentLoop): AssignmentView {
  const { parts, state, ready, writer, abort, withdrawal, line } = loop;
  const { slots, running } = state;
  return {
    isOver: state.isOver,
    leaving: state.leaving,
    releasing: state.releasing,
    stop: state.stop,
    isExhausted: state.isExhausted,
    running,
    waiting: line.waiting,
    ahead: aheadOf(loop),
    aborted: abort.signal.aborted,
    withdrawn: withdrawal.signal.aborted,
    ready: ready.length,
    unsealed: writer.unsealed,
    isAsking: writer.isAsking,
    wanted: unitsWanted({ slots, running, waiting: line.waiting, ready: ready.length }, line.averageMs),
    slots,
    isUnsure: isUnsure(parts, state),
    isAlone: state.runningAlone || ready[0]?.alone === true,
  };
}

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
