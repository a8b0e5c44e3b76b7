import { isHostError } from '@touchstone/protocol';
import { AgentChanged, type Slots, Withdrawn, type WorkStop } from '../../ports/index.js';
import { enterSlot } from '../run/open-loop.js';
import type { UnitSlot } from '../run/turn-line.js';
import { fail } from './assignment-answers.js';
import { type AssignmentLoop, isUnsure } from './assignment-state.js';
import type { ClaimedUnit } from './claimed-units.js';

const ABANDONED =
  'The processes that executed this task were lost, three times in a row, so it was not tried again. Look for what ends them: the log of the system, memory, the agent.';

/** Executes one unit, when there is a slot for it, and hands its record to the writer. */
export async function executeUnit(loop: AssignmentLoop, unit: ClaimedUnit, slot: UnitSlot): Promise<void> {
  const { state, abort } = loop;
  state.runningAlone = unit.alone;
  // It may get the slot of another unit while it waits for its turn on the thread.
  const isAhead = slot.isWaiting;
  const leave = await enter(loop, unit, isAhead);
  slot.begun();
  if (!isAhead) slot.enter(leave);
  let isExecuted = false;
  try {
    // It may have waited for long.
    if (leave && isUnsure(loop.parts, state)) loop.ready.unshift(unit);
    else if (leave) isExecuted = await executeIn(loop, unit, slot);
  } catch (error) {
    // What was withdrawn is left to whoever has its claim next.
    if (!abort.signal.aborted && !(error instanceof Withdrawn)) await report(loop, error);
  }
  loop.line.end(slot, isExecuted);
  state.runningAlone = false;
  state.wake();
}

function enter(
  { parts, run, alone, withdrawal }: AssignmentLoop,
  unit: ClaimedUnit,
  isAhead: boolean,
): ReturnType<Slots['enter']> {
  return unit.alone ? alone.enter(withdrawal.signal) : enterSlot(parts, run, withdrawal.signal, isAhead);
}

/** Whether it was executed here. */
async function executeIn(loop: AssignmentLoop, unit: ClaimedUnit, slot: UnitSlot): Promise<boolean> {
  const { assignments } = loop.parts.store;
  const { assignment, executor, writer, abort } = loop;
  if (unit.isTakenOver && (await isSealed(loop, unit))) {
    writer.add(undefined, lastOf(loop, unit));
    return false;
  }
  if (unit.alone) await assignments.noteAlone(assignment, unit.claim, unit.number);
  const executed = unit.isGivenUp
    ? await executor.abandon?.(unit, ABANDONED, abort.signal)
    : await executor.execute(unit, abort.signal, executor.takesTurns ? slot : undefined);
  if (!executed || abort.signal.aborted) return false;
  writer.add(executed.record, lastOf(loop, unit));
  return true;
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
