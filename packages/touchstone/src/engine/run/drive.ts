import { isHostError, isTerminal, type RunError } from '@touchstone/protocol';
import { type Lease, LeaseLost, type ProgressListener, type Run } from '../../ports/index.js';
import { driveFlow, openFlow } from '../approvals/drive-flow.js';
import { copyPrefix, replay, unfinishedAt } from '../forks/copy.js';
import { beginning, failure } from '../log/endings.js';
import { withMaskedInputs } from '../log/masked-inputs.js';
import type { Parts } from '../parts.js';
import type { DriveContext, DriveState } from './drive-context.js';
import { driveSteps } from './drive-steps.js';
import { graverStop } from './next-step.js';
import { keepLease, stopFrom } from './watching.js';

/** A run being driven by this process. Done with false when it is left to a process that can execute it. */
export type Drive = Pick<DriveContext, 'stop' | 'leave' | 'drain'> & { readonly done: Promise<boolean> };

/** A lease, and the presence of this process when it was asked for. */
export type TakenLease = { readonly lease: Lease; readonly presence: number | undefined };

export function startDrive(
  parts: Parts,
  { lease, presence }: TakenLease,
  publish: ProgressListener,
  onWork: () => Promise<void>,
): Drive {
  const over = new AbortController();
  const state: DriveState = {
    leaving: false,
    draining: false,
    crash: undefined,
    halted: false,
    stop: undefined,
    running: 0,
    runningElsewhere: 0,
    heldUntil: parts.clock.elapsed() + parts.limits.leaseMs,
    presence,
    access: { answered: false, deniedInRow: 0 },
    dropped: false,
    wake: () => undefined,
  };
  const context: DriveContext = {
    parts,
    lease,
    state,
    publish,
    onWork,
    over: over.signal,
    stop(reason) {
      state.stop = graverStop(state.stop, reason);
      state.wake();
    },
    leave() {
      state.leaving = true;
      state.wake();
    },
    drain() {
      state.draining = true;
      state.wake();
    },
  };
  const { stop, leave, drain } = context;
  return { stop, leave, drain, done: drive(context).finally(() => over.abort()) };
}

async function drive(context: DriveContext): Promise<boolean> {
  const { parts, lease, stop } = context;
  const run = await parts.store.runs.get(lease.owner, lease.runId);
  if (!run || isTerminal(run.status)) return true;
  if (run.control) stop(stopFrom(run.control));
  if (isGivenUp(context, run)) stop({ kind: 'lost', times: lease.lostDrives });
  void keepLease(context);
  try {
    const { fork } = run.plan;
    const leftAt = fork && (await unfinishedAt(context, run, fork));
    if (fork?.mode === 'replay' && leftAt === undefined) {
      await replay(context, run, fork).catch((error) => endReplay(context, run, error));
      return true;
    }
    const begun = fork ? await copyPrefix(context, run, { ...fork, fromSeq: leftAt ?? fork.fromSeq }) : run;
    const flow = openFlow(parts, begun);
    await (flow
      ? driveFlow(context, begun, flow)
      : driveSteps(context, begun, (error) => giveUp(context, begun, error)));
  } catch (error) {
    if (error instanceof LeftToOthers) return false;
    // The new lease holder continues the run.
    if (!(error instanceof LeaseLost)) throw error;
  }
  return true;
}

/** What the run needs is not here, and may be with another process. */
class LeftToOthers extends Error {}

/**
 * Whether every driver of the run was lost at the same place, so that taking it up may end this process as well. A run of the
 * command line is taken up only when a person asks for it, so that is left to them.
 */
const isGivenUp = ({ parts, lease }: DriveContext, { origin }: Run): boolean =>
  origin === 'host' && lease.lostDrives >= parts.limits.maxLostDrives;

/** The store is full, or its database away: no state of the run. It is taken up again when the store can be used. */
const isAway = (error: unknown): boolean =>
  isHostError(error) && error.code === 'unavailable' && error.details?.reason !== 'damaged';

/** History that cannot be read will not be readable the next time: the replay ends here, and says so. */
async function endReplay(context: DriveContext, { owner, runId }: Run, error: unknown): Promise<void> {
  const { parts } = context;
  const run = await parts.store.runs.get(owner, runId);
  if (error instanceof LeaseLost || isAway(error) || !run) throw error;
  parts.log.error('run.crashed', { runId }, error);
  const message = isHostError(error) ? error.message : 'The history of the source could not be read.';
  await fail(context, run, { code: 'internal_error', message });
}

/**
 * A run whose agent or suite is gone can never go on and fails; any other error leaves it for another attempt. So does the
 * error of a command-line run that has begun: its caller can set the missing variable and resume. Where processes share
 * their runs, another one may have what is missing here.
 */
async function giveUp(context: DriveContext, run: Run, error: unknown): Promise<undefined> {
  if (!isHostError(error) || (error.code !== 'not_found' && error.code !== 'conflict')) throw error;
  if (run.origin === 'cli' && run.eventCount > 0) throw error;
  if (run.origin === 'host' && (await context.parts.sharing?.waits(run))) {
    context.parts.log.error('run.unopened', { runId: run.runId }, error);
    throw new LeftToOthers();
  }
  await fail(context, run, { code: 'agent_unavailable', message: error.message });
  return undefined;
}

/** The last word of a run that no loop drives; the first one too, when none has been said. */
async function fail({ parts, lease }: DriveContext, run: Run, error: RunError): Promise<void> {
  const now = parts.clock.now();
  const opening = run.eventCount === 0 ? beginning(await withMaskedInputs(parts, run), [], now) : undefined;
  const ending = failure(run, error, now);
  await parts.store.log.append(lease, {
    entries: [{ kind: 'events', events: [...(opening?.events ?? []), ...ending.events] }],
    firstSequence: run.eventCount,
    run: { ...opening?.run, ...ending.run },
  });
}
