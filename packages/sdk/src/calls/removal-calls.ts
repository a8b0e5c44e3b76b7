import type { PrunedRuns, PruneRuns, RunId } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { at, post, type Reading, type Sending, VENDOR } from './calls.js';

/** Calls that remove what is recorded of ended runs. */
export function removalCalls(transport: Transport) {
  return {
    /**
     * Removes an ended run with everything that is recorded of it. Refused with `run_state_conflict` while it goes on,
     * and with `conflict` when a baseline, a deployment or another run needs it. One that is already gone after a retry
     * counts as removed.
     */
    remove: (runId: RunId, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `${VENDOR}/runs/${at(runId)}`, ...reading }),
    /** Removes the answers, tool calls and reasons of an ended run. Scores stay. Refused like `remove`. */
    removeBodies: (runId: RunId, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `${VENDOR}/runs/${at(runId)}/bodies`, ...reading }),
    /** Removes old runs, or their content, up to 1000 at a time: ask again while `more` is true. */
    prune: (body: PruneRuns, sending?: Sending): Promise<PrunedRuns> =>
      post(transport, `${VENDOR}/runs:prune`, body, sending),
  };
}
