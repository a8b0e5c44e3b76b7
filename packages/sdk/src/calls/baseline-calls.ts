import type { BaselineEntry, NewBaseline, Page, RunId } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { type Get, post, type Reading, type Sending, VENDOR } from './calls.js';

/** Calls on baselines. */
export function baselineCalls(transport: Transport, get: Get) {
  return {
    /** All baselines, newest first; `current` tells those that count from those that were replaced. */
    list: async (
      filter: {
        /** Only baselines of this suite, of any version. */
        readonly suiteId?: string;
      } = {},
      reading?: Reading,
    ): Promise<readonly BaselineEntry[]> =>
      (await get<Page<BaselineEntry>>(`${VENDOR}/baselines`, reading, filter)).items,
    /**
     * Makes a completed run the baseline of its suite, its agent and its judge. Forks and runs with cached answers
     * are refused.
     */
    bless: (runId: RunId, sending?: Sending): Promise<NewBaseline> =>
      post(transport, `${VENDOR}/baselines`, { runId }, sending),
  };
}
