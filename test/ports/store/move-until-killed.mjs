// Moves a deployment again and again, each time with an event and an audit record, and says so after each
// acknowledgement, until somebody kills it. Arguments: the store's file, a run id. Continues where it was killed.
import { writeSync } from 'node:fs';
import { openStore } from '../../../packages/touchstone/dist/store/index.js';

const [file, runId] = process.argv.slice(2);
const owner = { tenant: 'acme', workspace: 'main' };
const clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep: () => Promise.resolve() };
const store = await openStore({ file, clock });

const plan = { kind: 'workflow', workflowId: 'w' };
const fresh = { runId, owner, principal: 'p', origin: 'host', workflowId: 'w', plan, request: {} };
const known = await store.runs.get(owner, runId);
if (!known) await store.runs.create({ ...fresh, createdAt: clock.now(), engineVersion: 1 });
const lease = await store.leases.take(owner, runId, 3_600_000);
if (!lease) throw new Error('The lease of a killed process was not free.');

const version = { version: '1.0.0', state: 'test', digest: 'sha256:x' };
let revision = (await store.deployments.get(owner, 'a'))?.revision ?? 0;
for (;;) {
  const firstSequence = revision;
  revision += 1;
  const at = clock.now();
  const event = { type: 'run.resumed', at, payload: {} };
  await store.log.commit(lease, {
    entries: [{ kind: 'events', events: [event] }],
    firstSequence,
    deployments: { agentId: 'a', revision, versions: [version], channels: {} },
    audit: [{ at, principal: 'p', action: 'deploy:promote', resource: 'agents/a@1.0.0', allowed: true }],
  });
  writeSync(1, `${revision}\n`);
}
