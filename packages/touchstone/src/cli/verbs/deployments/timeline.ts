import type { RunId } from '@touchstone/protocol';
import { duration, grantsOf, openRound, timelineOf } from '@touchstone/sdk/view';
import { systemClock } from '../../../app/index.js';
import type { Context } from '../../io.js';
import { createStatusLine } from '../../render/progress.js';
import type { Session } from '../../session.js';
import { progressScreen } from '../run/run-driver.js';
import { findDeploymentRun, outcomeOf, readEvents, type TransitionAnswer } from './transitions.js';

const LOOK_MS = 500;

export type WaitResult = TransitionAnswer & { readonly interrupted?: true };

/** Looks at a run until people have decided, or for so many seconds. The run itself waits on. */
export async function waitForPeople(
  { io }: Context,
  session: Session,
  asked: TransitionAnswer & { readonly runId: RunId },
  wait: number | true,
): Promise<WaitResult> {
  const left = new AbortController();
  const stopListening = io.onSignal(() => left.abort());
  const line = createStatusLine<string>(progressScreen(io), (text) => text);
  const most = wait === true ? Number.POSITIVE_INFINITY : wait * 1_000;
  const began = io.now();
  try {
    for (let seen: TransitionAnswer = asked; ; ) {
      const waited = io.now() - began;
      if (seen.outcome !== 'waiting') return seen;
      if (left.signal.aborted) return { ...seen, interrupted: true };
      if (waited >= most) return seen;
      line.update(`${await stateOfVote(session, asked.runId)} (${duration(waited)})`);
      await systemClock.sleep(Math.min(LOOK_MS, most - waited), left.signal).catch(() => undefined);
      const run = await findDeploymentRun(session, asked.runId);
      if (run) seen = outcomeOf(run);
    }
  } finally {
    line.clear();
    stopListening();
  }
}

async function stateOfVote({ client }: Session, runId: RunId): Promise<string> {
  const round = openRound(timelineOf(await readEvents(client, runId)));
  if (!round) return 'waiting for approval';
  return `waiting for approval at gate ${round.gateId}: ${grantsOf(round).length} of ${round.required} granted`;
}
