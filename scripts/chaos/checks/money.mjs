// The ledger against what the agent says it has sold.
import { CALL_USD } from '../../soak/agent.mjs';
import { CAPPED } from '../../soak/suites.mjs';

const BOOKED = `SELECT u.run_id, l.input_tokens - 1000 AS number, COUNT(*)::int AS times
  FROM ledger l JOIN runs u ON u.run_no = l.run_no GROUP BY 1, 2`;
const UNBOOKED = `SELECT u.run_id, r.ordinal::int AS number FROM records r JOIN runs u ON u.run_no = r.run_no
  WHERE NOT EXISTS (SELECT 1 FROM ledger l WHERE l.run_no = r.run_no AND l.input_tokens = 1000 + r.ordinal)`;
const SUMS = `SELECT u.run_id, u.spent_usd, u.suite_id, COUNT(l.*)::int AS calls
  FROM runs u LEFT JOIN ledger l ON l.run_no = u.run_no GROUP BY u.run_no`;

function countByTask(calls) {
  const counts = new Map();
  for (const { runId, number } of calls) {
    const task = `${runId} ${number}`;
    counts.set(task, (counts.get(task) ?? 0) + 1);
  }
  return counts;
}

/** Each process that drove the run may book what it had in flight when it lost the run, or learned that the money was spent. */
function mostOf(calls, runId) {
  const callers = new Set(calls.filter((call) => call.runId === runId).map(({ caller }) => caller));
  return CAPPED.calls + CAPPED.atATime * callers.size;
}

/**
 * Nothing is booked that was not sold, a call that was made once is booked once, and the sum of a run is that of its rows. A call
 * whose process died before it heard the answer was sold and is not booked: nobody can know of it.
 */
export async function checkLedger({ database, sales, findings }, isGivenUp) {
  const calls = sales.calls();
  const sold = countByTask(calls);
  const rows = await database.query(BOOKED);
  for (const { run_id: runId, number, times } of rows)
    if (times > (sold.get(`${runId} ${number}`) ?? 0))
      findings.add('more is booked than was sold', `${runId} ${number}: ${times}`);
  for (const { run_id: runId, number } of await database.query(UNBOOKED))
    if (!isGivenUp(runId, number))
      findings.add('a task is sealed and was not paid for', `${runId} ${number}`);
  const sums = await database.query(SUMS);
  for (const { run_id: runId, spent_usd: spent, calls } of sums)
    if (Math.abs(spent - calls * CALL_USD) > 1e-6)
      findings.add('a run counts another sum than its ledger', `${runId}: ${spent}, ${calls} calls`);
  for (const { run_id: runId, suite_id: suite, calls: booked } of sums)
    if (suite?.endsWith('.capped') && booked > mostOf(calls, runId))
      findings.add('a ceiling was passed by more than was in flight', `${runId}: ${booked} calls`);
  return { sold: calls.length, booked: rows.reduce((sum, { times }) => sum + times, 0) };
}
