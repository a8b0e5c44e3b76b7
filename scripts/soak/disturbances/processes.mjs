import { setTimeout as pause } from 'node:timers/promises';

/** A host dies at any moment, and another is started a little later. */
export const killHost = (soak) => endAndStart(soak, 'SIGKILL');

/** A host is asked to end, and another is started a little later. */
export const stopHost = (soak) => endAndStart(soak, 'SIGTERM');

async function endAndStart({ hosts, random }, signal) {
  const slot = random.pick(hosts.slots().filter(hosts.isUp));
  if (slot === undefined) return;
  const waitMs = random.below(1_000);
  await hosts.end(slot, signal);
  await pause(waitMs);
  await hosts.start(slot);
}
