import { type AssignmentAnswer, type OpenClaim, WorkEnded } from '../../ports/index.js';
import type { AssignmentLoop } from './assignment-state.js';
import { assignmentStop } from './assignment-step.js';
import { claimedUnits } from './claimed-units.js';

/** What is asked of an assignment. */
export type AssignmentOrder = Parameters<typeof assignmentStop>[0];

/** Nothing that happens here counts any more. */
export function fail({ parts, run, state }: AssignmentLoop, error: unknown): void {
  if (!(error instanceof WorkEnded)) parts.log.error('assignment.failed', { runId: run.runId }, error);
  state.isOver = true;
  state.wake();
}

export function obey({ state }: AssignmentLoop, asked: AssignmentOrder): void {
  state.wake();
  const stop = assignmentStop(asked);
  if (stop !== undefined && state.stop !== 'abort') state.stop = stop;
}

/** Takes in what the store has answered to a write. */
export async function integrate(loop: AssignmentLoop, answer: AssignmentAnswer): Promise<void> {
  const { state } = loop;
  if (!answer.isHeld) [state.isOver, state.isTaken] = [true, true];
  state.isExhausted ||= answer.isExhausted;
  obey(loop, answer);
  if (answer.claim) await addUnits(loop, { ...answer.claim, deaths: 0 }, loop.assignment.hasSealed);
}

export async function addUnits(
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
