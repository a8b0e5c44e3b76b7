// Commits one task after another and says so after each acknowledgement, until somebody kills it.
// Arguments: the store's file, a run id. Creates the run if it is not there, otherwise continues it.
import { writeSync } from 'node:fs';
import { openStore } from '../../../packages/touchstone/dist/store/index.js';

const [file, runId] = process.argv.slice(2);
const owner = { tenant: 'acme', workspace: 'main' };
const clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep: () => Promise.resolve() };
const store = await openStore({ file, clock });

const pin = { version: '1.0.0', digest: 'sha256:x' };
const plan = {
  kind: 'eval',
  suite: { suiteId: 's', ...pin },
  agent: { agentId: 'a', ...pin },
  modes: ['golden'],
  totalTasks: 1_000_000,
  repeats: 1,
  concurrency: 8,
};
const fresh = { runId, owner, principal: 'p', origin: 'host', workflowId: 's', plan, request: {} };
let run = await store.runs.get(owner, runId);
run ??= await store.runs.create({ ...fresh, createdAt: clock.now(), engineVersion: 1 });

const lease = await store.leases.take(owner, runId, 3_600_000);
if (!lease) throw new Error('The lease of a killed process was not free.');

const appended = await store.log.appended(owner, runId);
let ordinal = appended.length;
let sequence = run.eventCount;

async function lane() {
  for (;;) {
    const task = ordinal++;
    const firstSequence = sequence;
    sequence += 3;
    const decided = {
      type: 'agent.decided',
      at: clock.now(),
      payload: { agentId: 'a', decision: 'x'.repeat(900) },
    };
    const result = { taskId: `t${task}`, score: 1, passed: true };
    await store.log.commit(lease, {
      seals: [{ ordinal: task, repeat: 0, events: [decided, { ...decided, cause: 0 }] }],
      entries: [{ kind: 'step', ordinal: task, repeats: 1, eventCount: 2, at: clock.now(), result }],
      firstSequence,
    });
    writeSync(1, `${firstSequence + 2}\n`);
  }
}
await Promise.all([lane(), lane(), lane(), lane()]);
