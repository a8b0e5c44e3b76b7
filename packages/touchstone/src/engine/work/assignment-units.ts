import { isHostError } from '@touchstone/protocol';
import { AgentChanged, type Slots, type WorkStop } from '../../ports/index.js';
import { enterSlot } from '../run/open-loop.js';
import { fail } from './assignment-answers.js';
import { type AssignmentLoop, isUnsure } from './assignment-state.js';
import type { ClaimedUnit } from './claimed-units.js';

const ABANDONED =
  'The processes that executed this task were lost, three times in a row, so it was not tried again. Look for what ends them: the log of the system, memory, the agent.';

/** Executes one unit, when there is a slot for it, and hands its record to the writer. */
export async function executeUnit(loop: AssignmentLoop, unit: ClaimedUnit): Promise<void> {
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
