import { isHostError, isTerminal, type RunError } from '@touchstone/protocol';
import { type Lease, LeaseLost, type ProgressListener, type Run } from '../../ports/index.js';
import { driveGated } from '../approvals/drive-gated.js';
import { openScript } from '../approvals/open-flow.js';
import { copyPrefix, replay } from '../forks/history.js';
import { openProgram } from '../kinds/open.js';
import type { Program } from '../kinds/run-kind.js';
import { beginning, failure } from '../log/endings.js';
import type { Parts } from '../parts.js';
import type { Driving } from './drive-context.js';
import { type DriveState, runLoop } from './loop.js';
import { graverStop } from './next-step.js';
import { openLoop } from './open-loop.js';
import { keepLease, stopFrom, watchClock } from './watching.js';

/** A run being driven by this process. */
export type Drive = Pick<Driving, 'stop' | 'leave'> & { readonly done: Promise<void> };

export function startDrive(parts: Parts, lease: Lease, publish: ProgressListener): Drive {
  const over = new AbortController();
  const state: DriveState = {
    leaving: false,
    crash: undefined,
    halted: false,
    stop: undefined,
    running: 0,
    dropped: false,
    wake: () => undefined,
  };
  const driving: Driving = {
    parts,
    lease,
    state,
    publish,
    over: over.signal,
    stop(reason) {
      state.stop = graverStop(state.stop, reason);
      state.wake();
    },
    leave() {
      state.leaving = true;
      state.wake();
    },
  };
  return { stop: driving.stop, leave: driving.leave, done: drive(driving).finally(() => over.abort()) };
}

async function drive(driving: Driving): Promise<void> {
  const { parts, lease, stop } = driving;
  const run = await parts.store.runs.get(lease.owner, lease.runId);
  if (!run || isTerminal(run.status)) return;
  if (run.control) stop(stopFrom(run.control));
  void keepLease(driving);
  try {
    const { fork } = run.plan;
    if (fork?.mode === 'replay')
      return void (await replay(driving, run, fork).catch((error) => endReplay(driving, run, error)));
    const begun = fork ? await copyPrefix(driving, run, fork) : run;
    const script = openScript(parts, begun);
    if (script) return await driveGated(driving, begun, script);
    const program = await openProgram(parts, begun).catch((error) => giveUp(driving, begun, error));
    if (program) await driveProgram(driving, begun, program);
  } catch (error) {
    // Whoever has the lease now goes on with the run.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

async function driveProgram(driving: Driving, found: Run, program: Program): Promise<void> {
  try {
    const loop = await openLoop(driving, found, program);
    void watchClock(driving, loop.run);
    loop.committer.flush();
    await runLoop(loop);
  } finally {
    await program.close();
  }
}

/** History that cannot be read will not be readable the next time: the replay ends here, and says so. */
async function endReplay(driving: Driving, { owner, runId }: Run, error: unknown): Promise<void> {
  const { parts } = driving;
  const run = await parts.store.runs.get(owner, runId);
  if (error instanceof LeaseLost || !run) throw error;
  parts.log.error('run.crashed', { runId }, error);
  const message = isHostError(error) ? error.message : 'The history of the source could not be read.';
  await fail(driving, run, { code: 'internal_error', message });
}

/**
 * A run whose agent or suite is gone can never go on and fails; any other trouble leaves it for another attempt. So does
 * a run of the command line that has begun: there a person can set the variable that is missing, and go on.
 */
async function giveUp(driving: Driving, run: Run, error: unknown): Promise<undefined> {
  if (!isHostError(error) || (error.code !== 'not_found' && error.code !== 'conflict')) throw error;
  if (run.origin === 'cli' && run.eventCount > 0) throw error;
  await fail(driving, run, { code: 'agent_unavailable', message: error.message });
  return undefined;
}

/** The last word of a run that no loop drives; the first one too, when none has been said. */
async function fail({ parts, lease }: Driving, run: Run, error: RunError): Promise<void> {
  const now = parts.clock.now();
  const opening = run.eventCount === 0 ? beginning(run, [], now) : undefined;
  const ending = failure(run, error, now);
  await parts.store.log.commit(lease, {
    entries: [{ kind: 'events', events: [...(opening?.events ?? []), ...ending.events] }],
    firstSequence: run.eventCount,
    run: { ...opening?.run, ...ending.run },
  });
}
