// Appends records to the audit of one owner, all at once. Arguments: the store's file, how many, who appends.
import { openStore } from '../../../packages/touchstone/dist/store/index.js';

const [file, count, principal] = process.argv.slice(2);
const clock = { now: () => Date.now(), elapsed: () => performance.now(), sleep: () => Promise.resolve() };
const store = await openStore({ file, clock });
const owner = { tenant: 'acme', workspace: 'main' };
const entry = {
  at: clock.now(),
  principal,
  action: 'deploy:promote',
  resource: 'agents/a@1.0.0',
  allowed: true,
};
// In rounds, so that the processes take turns at the lock.
for (let round = 0; round < 5; round += 1)
  await Promise.all(Array.from({ length: Number(count) / 5 }, () => store.audit.append(owner, entry)));
await store.close();
