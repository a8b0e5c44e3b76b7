// A task that has lost its process three times is given up without a score (docs/scaling-out.md), and kills may do that by chance.
import { parse } from '../../soak/calls.mjs';

/** More would tell of something else than chance. */
const MOST = 3;

export function createGivenUp({ calls, keys, findings }) {
  const runs = new Set();
  const units = new Set();
  let tasks = 0;
  return {
    /** Whether tasks of the run have no score, by its report. */
    async has({ tenant, runId }) {
      const { text } = await calls.call('GET', `/v1/host/touchstone/runs/${runId}/report`, {
        key: keys[tenant],
      });
      const unscored = parse(text ?? '')?.tasks?.unscoredTasks ?? [];
      if (!unscored.some(({ reason }) => reason === 'agent_unreachable')) return false;
      runs.add(runId);
      for (const { taskId, reason } of unscored)
        if (reason === 'agent_unreachable') units.add(`${runId} ${taskId.slice(2)}`);
      tasks += unscored.length;
      if (tasks > MOST) findings.add('many tasks have no score', `${runId}: ${JSON.stringify(unscored[0])}`);
      return true;
    },
    of: ({ runId }) => runs.has(runId),
    /** Every process that called the agent for it may have died before it heard the answer. */
    hasTask: (runId, number) => units.has(`${runId} ${number}`),
    get facts() {
      return { runs: runs.size, tasks };
    },
  };
}
