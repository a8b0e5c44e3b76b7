// The least a durable evaluator can do: the pool, and one row of about 1 kB for each task, flushed to disk in groups of
// 32. Bare node and SQLite, no rooms, no contract, no recovery.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from '@photostructure/sqlite';
import { readTasks, runPool, tell } from './pool.mjs';

const GROUP = 32;
const tasks = readTasks(process.argv[2]);
const db = new DatabaseSync(process.argv[3]);
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE segments (run INTEGER NOT NULL, ordinal INTEGER NOT NULL, events TEXT NOT NULL, PRIMARY KEY (run, ordinal));
`);
const insert = db.prepare('INSERT INTO segments VALUES (1, ?, ?)');

let group = [];
function commit() {
  db.exec('BEGIN');
  for (const [ordinal, events] of group) insert.run(ordinal, events);
  db.exec('COMMIT');
  group = [];
}

/** The facts an evaluator cannot leave out: who was asked, what it said, how it was scored. */
function segmentOf(ordinal, { taskId }, output, isPassed) {
  const timestamp = new Date().toISOString();
  const invocationId = `inv-${ordinal}.0`;
  const agentId = 'local.bench.agent';
  const event = (type, payload) => ({ eventId: randomUUID(), type, timestamp, nodeId: taskId, payload });
  return JSON.stringify([
    event('agent.invocation.started', { invocationId, agentId, source: 'run-api', toolSurfaceCount: 0 }),
    event('agent.reasoned', { agentId, reasoning: '', verbosity: 'off' }),
    event('agent.decided', { agentId, decision: output }),
    event('agent.invocation.completed', { invocationId, agentId, outcome: 'completed' }),
    event('eval.scored', { taskId, score: Number(isPassed), passed: isPassed, latencyMs: 0 }),
  ]);
}

await tell(async () => {
  const passed = await runPool(tasks, GROUP, (ordinal, task, output, isPassed) => {
    group.push([ordinal, segmentOf(ordinal, task, output, isPassed)]);
    if (group.length === GROUP) commit();
  });
  if (group.length > 0) commit();
  return passed;
});
db.close();
