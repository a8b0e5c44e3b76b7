// Opens the store's file (argument 1), writes one run (argument 2) and closes it again.
import { openStore } from '../../../packages/touchstone/dist/store/index.js';

const [file, runId] = process.argv.slice(2);
const clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep: () => Promise.resolve() };
const store = await openStore({ file, clock });
await store.runs.create({
  runId,
  owner: { tenant: 'acme', workspace: 'main' },
  principal: 'p',
  origin: 'cli',
  workflowId: 'w',
  plan: { kind: 'workflow', workflowId: 'w' },
  request: {},
  createdAt: clock.now(),
  engineVersion: 1,
});
await store.close();
