import type { RunId } from '@touchstone/protocol';
import { duration } from '@touchstone/sdk/view';
import type { Context } from '../../io.js';
import { createStatusLine } from '../../render/progress.js';
import type { Session } from '../../session.js';
import { progressScreen } from '../run/run-driver.js';
import { grantsOf, openRound, timelineOf } from './timeline.js';
import { findDeploymentRun, outcomeOf, readEvents, type TransitionAnswer } from './transitions.js';

const LOOK_MS = 500;

export type WaitResult = TransitionAnswer & { readonly interrupted?: true };

type Patience = { readonly ms: number; readonly signal: AbortSignal };

/** Looks at a run until people have decided, or for so many seconds. The run itself waits on. */
export async function waitForPeople(
  context: Context,
  session: Session,
  asked: TransitionAnswer & { readonly runId: RunId },
  wait: number | true,
): Promise<WaitResult> {
  const { io } = context;
  const left = new AbortController();
  const stopListening = io.onSignal(() => left.abort());
  const line = createStatusLine<string>(progressScreen(io), (text) => text);
  const patience = { ms: wait === true ? Number.POSITIVE_INFINITY : wait * 1_000, signal: left.signal };
  try {
    const seen = await look(context, session, asked, patience, line.update);
    return left.signal.aborted && seen.outcome === 'waiting' ? { ...seen, interrupted: true } : seen;
  } finally {
    line.clear();
    stopListening();
  }
}

async function look(
  { io }: Context,
  session: Session,
  asked: TransitionAnswer & { readonly runId: RunId },
  { ms, signal }: Patience,
  tell: (text: string) => void,
): Promise<TransitionAnswer> {
  const { systemClock } = await import('../../../app/index.js');
  const began = io.now();
  for (let seen: TransitionAnswer = asked; ; ) {
    const waited = io.now() - began;
    if (seen.outcome !== 'waiting' || waited >= ms || signal.aborted) return seen;
    tell(`${await stateOfVote(session, asked.runId)} (${duration(waited)})`);
    await systemClock.sleep(Math.min(LOOK_MS, ms - waited), signal).catch(() => undefined);
    const run = await findDeploymentRun(session, asked.runId);
    if (run) seen = outcomeOf(run);
  }
}

async function stateOfVote({ client }: Session, runId: RunId): Promise<string> {
  const round = openRound(timelineOf(await readEvents(client, runId)));
  if (!round) return 'waiting for approval';
  return `waiting for approval at gate ${round.gateId}: ${grantsOf(round).length} of ${round.required} granted`;
}
