import type { BulkCancelResult, JsonObject, RunAnswer, RunId } from '@touchstone/protocol';
import { runPath } from '../stream.js';
import type { Transport } from '../transport.js';
import type { PauseRun } from '../types.js';
import { post, type Sending } from './calls.js';

/** Calls that end, stop or continue runs. */
export function controlCalls(transport: Transport) {
  return {
    /**
     * Ends a run. Tasks at work are given up; finished tasks keep their results. Refused with `run_terminal` when the
     * run has ended.
     * @param reason Recorded with the run, at most 1024 characters.
     */
    cancel: (runId: RunId, reason?: string, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}/cancel`, because(reason), sending),
    /** Cancels up to 100 runs, each on its own: one that cannot be cancelled does not stop the others. */
    bulkCancel: (
      runIds: readonly RunId[],
      reason?: string,
      sending?: Sending,
    ): Promise<{ readonly results: readonly BulkCancelResult[] }> =>
      post(transport, '/v1/runs:bulk-cancel', { runIds, ...because(reason) }, sending),
    /** Starts no further task until `resume`. Time in a pause does not count towards `runTimeoutMs`. */
    pause: (runId: RunId, pausing: PauseRun = {}, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}:pause`, pausing, sending),
    /** Continues a paused run. Refused with `run_state_conflict` when it is not paused. */
    resume: (runId: RunId, reason?: string, sending?: Sending): Promise<RunAnswer> =>
      post(transport, `${runPath(runId)}:resume`, because(reason), sending),
  };
}

const because = (reason: string | undefined): JsonObject => (reason === undefined ? {} : { reason });
