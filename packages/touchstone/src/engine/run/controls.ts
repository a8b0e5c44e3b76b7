import { HostError, isTerminal, type Owner, type RunId, type RunStatus } from '@touchstone/protocol';
import type { Control, Engine, Lease, Run } from '../../ports/index.js';
import { resumption } from '../log/endings.js';
import type { Parts } from '../parts.js';
import type { Drive } from './drive.js';
import { CANCELLABLE, stopFrom } from './watching.js';

/** A run that this process has taken up. `again` is set when a caller wants it driven while it is coming to rest. */
export type ActiveRun = {
  drive: Drive | undefined;
  again: boolean;
  done: Promise<void>;
  /** Aborted when the run has to be stopped: it then waits for no slot. */
  readonly hurry: AbortController;
};

/** What callers may ask of a run: to end, to pause, to go on. */
export function createControls(
  parts: Parts,
  activeRuns: ReadonlyMap<RunId, ActiveRun>,
  driveSoon: (owner: Owner, runId: RunId) => void,
): Pick<Engine, 'cancel' | 'pause' | 'resume'> {
  const change = async (
    owner: Owner,
    runId: RunId,
    from: readonly RunStatus[],
    status: RunStatus,
    control: Control | null,
  ): Promise<Run | undefined> => {
    const pausedAt = status === 'paused' ? { pausedAt: parts.clock.now() } : {};
    const run = await parts.store.runs.request(owner, runId, { from, status, control, ...pausedAt });
    if (!run) return undefined;
    const mine = activeRuns.get(runId);
    if (control) mine?.hurry.abort();
    if (control) mine?.drive?.stop(stopFrom(control));
    driveSoon(owner, runId);
    return run;
  };

  /** A caller that reads `run.paused` may resume at once, although the driver that wrote it has not finished yet. */
  const letGo = async (owner: Owner, runId: RunId): Promise<void> => {
    const mine = activeRuns.get(runId);
    const run = mine && (await parts.store.runs.get(owner, runId));
    if (run?.status === 'paused' && run.control === undefined) await mine?.done.catch(() => undefined);
  };

  const found = async (owner: Owner, runId: RunId): Promise<Run> => {
    const run = await parts.store.runs.get(owner, runId);
    if (!run) throw new HostError('not_found', `Run ${runId} does not exist or is not visible to you.`);
    return run;
  };

  return {
    async cancel(owner, runId, by, reason) {
      const control: Control = { kind: 'cancel', by, ...(reason !== undefined && { reason }) };
      const run = await change(owner, runId, CANCELLABLE, 'cancelling', control);
      return run ?? cancelledAlready(await found(owner, runId));
    },
    async pause(owner, runId, by, drainPolicy, reason) {
      checkPausable(await found(owner, runId));
      const control: Control = { kind: 'pause', by, drainPolicy, ...(reason !== undefined && { reason }) };
      const run = await change(owner, runId, ['pending', 'running'], 'paused', control);
      return run ?? refusePause(await found(owner, runId));
    },
    async resume(owner, runId) {
      await letGo(owner, runId);
      const lease = await parts.store.leases.take(owner, runId, parts.limits.leaseMs);
      const run = lease && (await writeResumption(parts, lease));
      if (lease) await parts.store.leases.release(lease);
      if (!run) return refuseResume(await found(owner, runId));
      driveSoon(owner, runId);
      return run;
    },
  };
}

/**
 * The end of a pause is written when it is asked for, not when the run goes on: then every pause in the log has its end,
 * however soon the next one follows. Undefined when the run is not at rest in a pause.
 */
async function writeResumption(parts: Parts, lease: Lease): Promise<Run | undefined> {
  const change = { from: ['paused'], status: 'running', control: null, settled: true } as const;
  const run = await parts.store.runs.request(lease.owner, lease.runId, change);
  if (!run) return undefined;
  const { events, run: row } = resumption(run, parts.clock.now());
  await parts.store.log.append(lease, {
    entries: [{ kind: 'events', events }],
    firstSequence: run.eventCount,
    run: row,
  });
  return run;
}

/** A replay does nothing that could be interrupted; it is over as soon as it is read. */
function checkPausable({ runId, plan, status }: Run): void {
  if (plan.fork?.mode !== 'replay') return;
  throw new HostError('run_state_conflict', `Run ${runId} is a replay and cannot be paused.`, {
    runStatus: status,
  });
}

const isPausing = ({ control }: Run): boolean => control?.kind === 'pause';

function refusePause(run: Run): never {
  if (!isPausing(run)) return refuse(run, 'paused', 'pending or running');
  throw new HostError(
    'run_state_conflict',
    `Run ${run.runId} has been asked to pause already. It is paused when run.paused is in its log.`,
    { runStatus: run.status },
  );
}

function refuseResume(run: Run): never {
  if (run.status !== 'paused' && !isPausing(run)) return refuse(run, 'resumed', 'paused');
  throw new HostError(
    'run_state_conflict',
    `Run ${run.runId} is still coming to rest. Resume it when run.paused is in its log.`,
    { runStatus: run.status, retryAfter: 1 },
  );
}

function cancelledAlready(run: Run): Run {
  if (run.status === 'cancelled' || run.status === 'cancelling') return run;
  throw new HostError(
    'run_terminal',
    `Run ${run.runId} has already ended as ${run.status}; it cannot be cancelled.`,
    { runStatus: run.status },
  );
}

function refuse(run: Run, verb: string, wanted: string): never {
  const hint = isTerminal(run.status) ? 'It has ended.' : `Only a run that is ${wanted} can be.`;
  throw new HostError(
    'run_state_conflict',
    `Run ${run.runId} is ${run.status} and cannot be ${verb}. ${hint}`,
    {
      runStatus: run.status,
      ...(run.status === 'paused' &&
        run.pausedAt !== undefined && { pausedAt: new Date(run.pausedAt).toISOString() }),
    },
  );
}
