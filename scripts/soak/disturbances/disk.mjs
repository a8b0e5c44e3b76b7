import { setTimeout as pause } from 'node:timers/promises';

/** The disk is full for a while, for every process on the store. */
export async function fullDisk({ storage, hosts, troubles, random }) {
  if (!storage.fill) return;
  const pids = hosts.running().map(({ child }) => child.pid);
  const end = troubles.begin();
  const free = storage.fill(pids);
  await pause(random.between(200, 2_500));
  free();
  end();
}
