// The log of a disturbed run is that of a calm one, and between two pauses tasks stand in the order of the suite.
import { setTimeout as pause } from 'node:timers/promises';
import { readLog } from '../../soak/checks/logs.mjs';
import { lookAtOpenRuns } from '../../soak/work.mjs';

const numberOf = ({ payload }) => Number(payload.taskId.slice(2));

export function checkOrder(findings, { runId }, events) {
  let last = -1;
  for (const event of events) {
    if (event.type === 'run.paused') last = -1;
    if (event.type !== 'eval.scored') continue;
    if (numberOf(event) < last)
      findings.add('tasks are out of order', `${runId}: ${numberOf(event)} after ${last}`);
    last = numberOf(event);
  }
}

/** What differs between equal runs: their names, times and durations. */
const OWN =
  /Ms$|^(at|timestamp|runId|eventId|invocationId|causationId|correlationId|spanId|traceId|sequence)$/;
const comparable = (runId) => (event) =>
  JSON.stringify(event, (key, member) => (OWN.test(key) ? undefined : member)).replaceAll(runId, 'RUN');

export function createComparison(chaos) {
  const calmLogs = new Map();
  const nameOf = ({ tenant, suite }) => `${tenant} ${suite}`;
  const read = (entry) => readLog(chaos, entry, comparable(entry.runId));
  return {
    /** Waits for a run that nothing disturbs, and keeps its log. */
    async calm(entry) {
      while (!entry.ended) {
        await lookAtOpenRuns(chaos);
        await pause(100);
      }
      calmLogs.set(nameOf(entry), await read(entry));
    },
    /** A run that was paused has more events, and one that ended early has fewer: of those the order is checked. */
    async check(isExcused) {
      let compared = 0;
      for (const entry of chaos.ledger.known().filter(({ paused, ended }) => ended && !paused)) {
        if (isExcused(entry)) continue;
        const log = await read(entry);
        if (!log.at(-1)?.includes('"run.completed"')) continue;
        compared += 1;
        const calm = calmLogs.get(nameOf(entry));
        const at = log.findIndex((event, index) => event !== calm[index]);
        if (at >= 0 || log.length !== calm.length)
          chaos.findings.add(
            'a log is not that of a calm run',
            `${entry.runId} of ${entry.suite} at ${at}: ${log[at]} instead of ${calm[at]}`,
          );
      }
      return compared;
    },
  };
}
