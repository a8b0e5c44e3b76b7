import { type AccessDenial, describeDenial, type RunError } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { Run, RunChange } from '../../ports/index.js';
import type { Closing } from '../kinds/run-kind.js';
import { ENGINE_VERSION } from '../parts.js';
import type { Stop } from '../run/next-step.js';

/** How a run begins and ends, as events and the row's change. Pure: the driver commits what these say. */
export type Ending = {
  readonly events: readonly NewEvent[];
  /** So many tasks are listed in the summary of the last event. */
  readonly tasks?: number;
  readonly run: RunChange;
};

export function beginning(run: Run, opening: readonly NewEvent[], now: number): Ending {
  const started: NewEvent = {
    type: 'run.started',
    at: now,
    payload: {
      workflowId: run.workflowId,
      ...(run.request.inputs !== undefined && { inputs: run.request.inputs }),
      transport: 'rest',
      engineVersion: String(ENGINE_VERSION),
      owner: { ...run.owner, principal: run.principal },
      ...(run.request.tags && { tags: run.request.tags }),
      ...(run.request.metadata && { metadata: run.request.metadata as never }),
    },
  };
  return {
    events: [started, ...opening],
    run: { startedAt: now },
  };
}

/** A pause that is over: its length no longer counts against the run's timeout. */
export const resumption = (run: Run, now: number): Ending => ({
  events: [{ type: 'run.resumed', at: now, payload: {} }],
  run: { pausedAt: null, pausedMs: run.pausedMs + (now - (run.pausedAt ?? now)) },
});

export function completion(run: Run, closing: Closing, now: number): Ending {
  if (closing.error) return failure(run, closing.error, now, closing.failedNodeId);
  const durationMs = durationOf(run, now);
  const completed: NewEvent = {
    type: 'run.completed',
    at: now,
    payload: { ...(closing.outputs !== undefined && { outputs: closing.outputs }), durationMs },
  };
  return {
    events: [...closing.events, completed],
    ...(closing.tasks !== undefined && { tasks: closing.tasks }),
    run: {
      status: 'completed',
      completedAt: now,
      control: null,
      ...(closing.headline && { headline: closing.headline }),
      ...(closing.outcomes && { outcomes: closing.outcomes }),
    },
  };
}

export function failure(run: Run, error: RunError, now: number, failedNodeId?: string): Ending {
  const payload = {
    error,
    ...(failedNodeId !== undefined && { failedNodeId }),
    durationMs: durationOf(run, now),
  };
  return {
    events: [{ type: 'run.failed', at: now, payload }],
    run: { status: 'failed', completedAt: now, control: null, error },
  };
}

/** What a stop writes once everything is at rest: by then more may have been spent than when it was called for. */
export function stopping(run: Run, stop: Stop, now: number, spentUsd: number): Ending {
  switch (stop.kind) {
    case 'cancel': {
      const payload = {
        ...(stop.reason !== undefined && { reason: stop.reason }),
        cancelledBy: stop.by,
        durationMs: durationOf(run, now),
        ...(stop.parentRunId !== undefined && { parentRunId: stop.parentRunId }),
      };
      return {
        events: [{ type: 'run.cancelled', at: now, payload }],
        run: { status: 'cancelled', completedAt: now, control: null },
      };
    }
    case 'pause': {
      const payload = {
        ...(stop.reason !== undefined && { reason: stop.reason }),
        drainPolicy: stop.drainPolicy,
      };
      // The row has been `paused` since the request; without what was asked for, readers see it.
      return { events: [{ type: 'run.paused', at: now, payload }], run: { control: null } };
    }
    case 'denied':
      return failure(run, deniedError(stop.denial), now);
    case 'lost':
      return failure(run, lostError(stop.times), now);
    case 'changed':
      return failure(run, CHANGED, now);
    case 'storage': {
      const message =
        'The tenant has stored all it may, so no further task was started. Remove runs, or ask the operator to raise limits.perTenant.storedBytes.';
      return failure(run, { code: 'storage_exhausted', message }, now);
    }
    case 'timeout': {
      const message = `The run took longer than its limit of ${stop.limitMs} ms.`;
      const error: RunError = { code: 'run_timeout', message, details: { elapsedMs: stop.observedMs } };
      return breached(
        run,
        { kind: 'run-duration', limit: stop.limitMs, observed: stop.observedMs },
        error,
        now,
      );
    }
    case 'budget': {
      const message = `The run has spent its ceiling of ${stop.limitUsd} USD; no further task was started.`;
      const error: RunError = { code: 'budget_exhausted', message, details: { spentUsd } };
      return breached(run, { kind: 'budget-cost', limit: stop.limitUsd, observed: spentUsd }, error, now);
    }
  }
}

const CHANGED: RunError = {
  code: 'agent_changed',
  message:
    "The agent's files were written to while the run was at work, so nobody knows what was measured. Start a new run, and leave the files alone until it has ended.",
};

/** Says who refused and which variable to look at: the same sentence wherever the run is shown. */
export const deniedError = (denial: AccessDenial): RunError => ({
  code: 'agent_denied',
  message: `The agent could not be asked: ${describeDenial(denial)}.`,
  details: { ...denial },
});

/** Something the run does may be what ends the process, and the host has to live for the others. */
export const lostError = (times: number): RunError => ({
  code: 'too_many_restarts',
  message: `The process that drove this run ended ${times} times in a row before the next task was finished. Look for what ends it: the operator's log, memory, the agent. Then start a new run.`,
  details: { restarts: times },
});

function breached(
  run: Run,
  payload: Extract<NewEvent, { type: 'cap.breached' }>['payload'],
  error: RunError,
  now: number,
): Ending {
  const failed = failure(run, error, now);
  return { ...failed, events: [{ type: 'cap.breached', at: now, payload }, ...failed.events] };
}

const durationOf = (run: Run, now: number): number => Math.max(0, now - (run.startedAt ?? now));
