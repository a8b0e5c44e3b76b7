// PostgreSQL against SQLite, and a fleet of processes on one database. Each row is a function; `--rows a,b` takes some of them.
import { oneProcess, serverOfSlowTasks } from '../fleet/costs.mjs';
import { eventElsewhere, idleWorker, start } from '../fleet/latencies.mjs';
import {
  databaseAway,
  killedDriver,
  killedWhole,
  killedWorker,
  rollingRestart,
  stillDriver,
  stillWorker,
} from '../fleet/losses.mjs';
import { longRun, oneRun, workersCpu } from '../fleet/one-run.mjs';
import { otherTenant } from '../fleet/tenants.mjs';

const TASKS = 10_000;
const ROWS = {
  oneProcess,
  serverOfSlowTasks,
  oneRun,
  workersCpu,
  longRun,
  start,
  killedWorker,
  killedDriver,
  killedWhole,
  stillWorker,
  stillDriver,
  databaseAway,
  rollingRestart,
  otherTenant,
  idleWorker,
  eventElsewhere,
};

export async function fleet({ report, sizes: [n] = [TASKS], reps, workers, rows = Object.keys(ROWS) }) {
  const server = process.env.TOUCHSTONE_TEST_POSTGRES;
  if (!server) throw new Error('Name a PostgreSQL server with TOUCHSTONE_TEST_POSTGRES=postgres://…');
  const unknown = rows.filter((name) => !(name in ROWS));
  if (unknown.length > 0)
    throw new Error(`There is no row called ${unknown.join(', ')}. Rows: ${Object.keys(ROWS).join(', ')}`);
  for (const name of rows) await ROWS[name]({ report, reps, server, n, ...(workers && { workers }) });
}
