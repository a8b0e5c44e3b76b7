// Memory and file descriptors: of the hosts that were disturbed, and of one that does the same work again and again.
import { setTimeout as pause } from 'node:timers/promises';
import { suiteNamed } from '../suites.mjs';
import { createRun, lookAtOpenRuns } from '../work.mjs';

const PEAK_MB = 1_024;
/** A host at rest has about thirty; the rest is for connections that have just been closed. */
const FDS = 80;
const GROWTH_MB = 100;
const ROUNDS = 4;
const RUNS_A_ROUND = 20;

export async function checkGrowth(soak) {
  const { hosts, findings } = soak;
  const peakMb = Math.max(...hosts.all.map((host) => host.peakMb));
  if (peakMb > PEAK_MB) findings.add(`a host took more than ${PEAK_MB} MB`, `${peakMb} MB`);
  const fds = await restingDescriptors(hosts);
  if (fds > FDS) findings.add('file descriptors stay open', `${fds} on a host without callers`);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await memoryAfterRound(soak));
  // The first round warms up.
  if (rounds.at(-1) - rounds[1] > GROWTH_MB) findings.add('memory grows with equal work', rounds.join(', '));
  return { peakMb, fds, rounds };
}

async function restingDescriptors(hosts) {
  for (let tries = 0; ; tries += 1) {
    for (const host of hosts.running()) hosts.sample(host);
    const most = Math.max(...hosts.running().map(({ fds }) => fds));
    if (most <= FDS || tries > 20) return most;
    await pause(500);
  }
}

/** The memory of all hosts together: either may drive the runs. */
async function memoryAfterRound(soak) {
  const { hosts, ledger } = soak;
  const always = { ...soak, isOver: () => false };
  for (let at = 0; at < RUNS_A_ROUND; at += 1) await createRun(always, 'acme', suiteNamed('small'));
  while (ledger.open().length > 0) {
    await lookAtOpenRuns(soak);
    await pause(100);
  }
  for (const host of hosts.running()) hosts.sample(host);
  return hosts.running().reduce((sum, { lastMb }) => sum + lastMb, 0);
}
