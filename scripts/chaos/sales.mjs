// What the agent was asked and has sold, by run and task, and who asked when.
import { openAgentIds } from '../../packages/touchstone/dist/engine/invoke/opaque-ids.js';
import { CALL_USD } from '../soak/agent.mjs';
import { suiteNamed } from '../soak/suites.mjs';

export function createSales(ledger) {
  const made = [];
  return {
    /** One call: the usage says which task it was for, so that the ledger can be held against it. */
    sell({ runId: shownId, number, caller }) {
      made.push({ shownId, number, caller, at: Date.now() });
      const amounts = { inputTokens: 1_000 + number, outputTokens: 10, costUsd: CALL_USD };
      return [{ provider: 'chaos', model: 'seller', ...amounts }];
    },
    /** Every call with its run. An agent is shown other names than callers are, which only the host can tell apart. */
    calls() {
      const runs = new Map();
      for (const { runId, suite } of ledger.known()) {
        const idsOf = openAgentIds(runId);
        for (const ordinal of suiteNamed(suite).tasks.keys()) runs.set(idsOf(ordinal, 0).runId, runId);
      }
      return made.map(({ shownId, ...call }) => ({ ...call, runId: runs.get(shownId) }));
    },
  };
}
