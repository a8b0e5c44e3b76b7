// What the rows of the database must be at rest, and how they may change until then.
import { TENANTS } from '../../soak/work.mjs';
import { hasTable } from '../database.mjs';

const SAMPLE_MS = 500;

/** Tokens and counts of events only grow. A database that is away is asked again. */
export function watchGrowth({ database, findings }) {
  const seen = new Map();
  let samples = 0;
  const look = async () => {
    const rows = await database.query('SELECT run_id, lease_token, event_count FROM runs');
    samples += 1;
    for (const { run_id: runId, lease_token: token, event_count: count } of rows) {
      const before = seen.get(runId) ?? { token: 0, count: 0 };
      const now = { token: Number(token), count: Number(count) };
      if (now.token < before.token || now.count < before.count)
        findings.add('a token or a log has shrunk', `${runId}: ${JSON.stringify({ before, now })}`);
      seen.set(runId, now);
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return { samples, runs: seen.size };
    },
  };
}

const TWICE = 'SELECT run_no FROM records GROUP BY run_no, ordinal, repeat HAVING COUNT(*) > 1';
const INCOMPLETE = `SELECT u.run_id, COUNT(r.*)::int AS sealed, (q.plan::json ->> 'totalTasks')::int AS tasks
  FROM runs u JOIN run_requests q ON q.run_no = u.run_no LEFT JOIN records r ON r.run_no = u.run_no
  WHERE u.status = 'completed' AND q.plan::json ->> 'kind' = 'eval' GROUP BY u.run_id, q.plan
  HAVING COUNT(r.*) <> (q.plan::json ->> 'totalTasks')::int`;
const AFTER_END = `WITH ends AS (
    SELECT u.run_no, u.run_id, pg_xact_commit_timestamp(l.xmin) AS ended FROM runs u
    JOIN log_entries l ON l.run_no = u.run_no AND l.first_seq + l.event_count = u.event_count
    WHERE u.status IN ('completed', 'failed', 'cancelled'))
  SELECT e.run_id FROM ends e JOIN records r ON r.run_no = e.run_no
  WHERE pg_xact_commit_timestamp(r.xmin) > e.ended`;

/** Each unit is sealed once, all units of a completed run are, and nothing is after the last word. */
export async function checkSeals({ database, findings }) {
  const rules = { 'a unit is sealed twice': TWICE, 'a completed run lacks records': INCOMPLETE };
  rules['a unit was sealed after the end of its run'] = AFTER_END;
  for (const [fault, sql] of Object.entries(rules))
    for (const row of await database.query(sql)) findings.add(fault, JSON.stringify(row));
  const [{ count }] = await database.query('SELECT COUNT(*)::int AS count FROM records');
  return count;
}

const SEALED = `SELECT u.run_id, r.ordinal::int AS number,
    EXTRACT(EPOCH FROM pg_xact_commit_timestamp(r.xmin)) * 1000 AS sealed
  FROM records r JOIN runs u ON u.run_no = r.run_no`;
/** A call that was on its way when the seal was committed. */
const ON_ITS_WAY_MS = 1_000;
/** How long a process that stood still or was cut off may take to learn what it has lost. */
const ZOMBIE_MS = 10_000;

/** The agent is not called for what is sealed, unless by a process that stood still or was cut off, and cannot know. */
export async function checkCalls({ database, sales, frozen, cutOff, lineOf, findings }) {
  const made = sales.calls();
  const sealed = new Map();
  for (const { run_id: runId, number, sealed: at } of await database.query(SEALED))
    sealed.set(`${runId} ${number}`, Number(at));
  // A line outlasts its process: whoever is started on one that is cut or held is cut off, too.
  const concerns = ({ name, line, isAll }, caller) =>
    isAll || (line ? line === lineOf.get(caller) : name === caller);
  const couldNotKnow = ({ caller, at }) =>
    [...frozen, ...cutOff].some(
      (trouble) =>
        concerns(trouble, caller) && trouble.from <= at && at <= (trouble.to ?? Date.now()) + ZOMBIE_MS,
    );
  const lately = ({ caller, at }) =>
    [...frozen, ...cutOff]
      .filter((trouble) => concerns(trouble, caller) && trouble.from <= at)
      .map(({ line, isAll, from, to = Date.now() }) => [
        isAll ? 'database' : line ? 'line' : 'process',
        from - at,
        to - at,
      ])
      .slice(-3);
  let again = 0;
  const counts = new Map();
  for (const call of made) {
    if (!call.runId) findings.add('the agent was called for a run that no caller knows', call.caller);
    const unit = `${call.runId} ${call.number}`;
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
    if (counts.get(unit) > 1) again += 1;
    if (call.at > (sealed.get(unit) ?? Number.POSITIVE_INFINITY) + ON_ITS_WAY_MS && !couldNotKnow(call))
      findings.add(
        'the agent was called for a task that was sealed',
        `${unit} by ${call.caller}, ${Math.round(call.at - sealed.get(unit))} ms after the seal; its troubles: ${JSON.stringify(lately(call))}`,
      );
  }
  return { made: made.length, again };
}

/** The lease of a process that was killed after the last word of its run stays, and means nothing once it has run out. */
const LEASED = `SELECT run_id, status, lease_holder FROM runs WHERE lease_holder IS NOT NULL
  AND (completed_at IS NULL OR lease_until > EXTRACT(EPOCH FROM now()) * 1000)`;
const UNFINISHED = `SELECT run_id, status FROM runs
  WHERE status NOT IN ('completed', 'failed', 'cancelled', 'paused', 'waiting-approval')`;
const REVISIONS = `SELECT d.agent_id, d.revision::int AS revision, (
    SELECT COUNT(*)::int FROM runs u JOIN run_requests q ON q.run_no = u.run_no
    WHERE u.agent_id = d.agent_id AND u.tenant = d.tenant AND u.status = 'completed'
      AND q.plan::json ->> 'kind' = 'deployment') AS moves FROM deployments d`;
/** Where one run is spread over processes: at rest none of this is left. */
const SHARED = ['work', 'claims', 'assignments'];

/** Nothing is held and nothing is under way. */
export async function checkRest({ database, findings }) {
  for (const row of await database.query(LEASED)) findings.add('a lease is left', JSON.stringify(row));
  for (const row of await database.query(UNFINISHED))
    findings.add('a run has not ended', JSON.stringify(row));
  for (const { agent_id: agent, revision, moves } of await database.query(REVISIONS))
    if (revision !== moves) findings.add('revisions are not moves', `${agent}: ${revision}, ${moves}`);
  const left = {};
  for (const name of SHARED) {
    if (!(await hasTable(database, name))) continue;
    const [{ count }] = await database.query(`SELECT COUNT(*)::int AS count FROM ${name}`);
    left[name] = count;
    if (count > 0) findings.add(`rows of ${name} are left`, String(count));
  }
  return { tenants: TENANTS.length, ...left };
}
