import { isHostError, isTerminal } from '@touchstone/contract';
import { type Lease, LeaseLost, type ProgressListener, type Run } from '@touchstone/contract/ports';
import type { Driving } from './driving.js';
import { beginning, failure } from './endings.js';
import { copyPrefix, replay } from './history.js';
import { type DriveState, runLoop } from './loop.js';
import { graverStop } from './next-step.js';
import { openLoop } from './open-loop.js';
import type { Parts } from './parts.js';
import { openProgram } from './programs/open.js';
import type { Program } from './programs/program.js';
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
      return void (await replay(driving, run, fork).catch((error) => giveUp(driving, run, error)));
    const begun = fork ? await copyPrefix(driving, run, fork) : run;
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

/**
 * A run whose agent or suite is gone can never go on and fails; any other trouble leaves it for another attempt. So does
 * a run of the command line that has begun: there a person can set the variable that is missing, and go on.
 */
async function giveUp({ parts, lease }: Driving, run: Run, error: unknown): Promise<undefined> {
  if (!isHostError(error) || (error.code !== 'not_found' && error.code !== 'conflict')) throw error;
  if (run.origin === 'cli' && run.eventCount > 0) throw error;
  const now = parts.clock.now();
  const opening = run.eventCount === 0 ? beginning(run, [], now) : undefined;
  const ending = failure(run, { code: 'agent_unavailable', message: error.message }, now);
  await parts.store.log.commit(lease, {
    entries: [{ kind: 'events', events: [...(opening?.events ?? []), ...ending.events] }],
    firstSequence: run.eventCount,
    run: { ...opening?.run, ...ending.run },
  });
  return undefined;
}
