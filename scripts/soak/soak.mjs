// One soak: prepare, disturb until the time is over, settle, check.
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, writeConfig } from '../../bench/lib/server.mjs';
import { startAgent } from './agent.mjs';
import { createCalls } from './calls.mjs';
import { checkGrowth } from './checks/growth.mjs';
import { checkLogs } from './checks/logs.mjs';
import { checkSilence } from './checks/silence.mjs';
import { checkAudit, checkFile } from './checks/store.mjs';
import { checkTotals } from './checks/totals.mjs';
import { disturbances } from './disturbances/index.mjs';
import { createFindings } from './findings.mjs';
import { createHosts } from './hosts.mjs';
import { createLedger } from './ledger.mjs';
import { createRandom } from './random.mjs';
import { resumeCommands, settle } from './settle.mjs';
import { SUITES } from './suites.mjs';
import { createTroubles } from './troubles.mjs';
import { keepWorking, prepareTenants, TENANTS } from './work.mjs';

const KEYS = {
  acme: 'soak-key-of-acme',
  rival: 'soak-key-of-rival',
  fuzzer: 'soak-key-of-fuzzer',
  viewer: 'soak-key-of-viewer',
};
const HOSTS = 2;
const IN_BACKGROUND = 6;

/** Opens everything a disturbance may reach. */
export async function openSoak({ minutes, seed, storage }) {
  const findings = createFindings();
  const agent = await startAgent();
  const config = writeConfig(storage.folder, configuration());
  const troubles = createTroubles();
  const start = (onLog) => startServer({ config, data: storage.data, onLog });
  const starters = Array.from({ length: HOSTS }, () => start);
  const hosts = createHosts({ starters, findings, troubles });
  const calls = createCalls({ findings, random: createRandom(seed + 1), hosts });
  const soak = {
    ...{ seed, storage, findings, troubles, agent, config, hosts, calls, keys: KEYS, folder: storage.folder },
    random: createRandom(seed),
    ledger: createLedger(),
    suites: SUITES,
    commands: { started: 0, finished: 0, killed: 0, interrupted: 0, runs: 0, resumed: 0 },
    disturbed: {},
    isOver: () => Date.now() > soak.overAt,
  };
  for (const slot of hosts.slots()) await hosts.start(slot);
  await prepareTenants(soak);
  soak.overAt = Date.now() + minutes * 60_000;
  return soak;
}

export async function closeSoak({ hosts, agent }) {
  await hosts.close();
  await agent.close();
}

const configuration = () => ({
  keys: Object.entries(KEYS).map(([name, key]) => ({
    key,
    tenant: name === 'viewer' ? 'acme' : name,
    roles: [name === 'viewer' ? 'viewer' : 'admin'],
  })),
  roles: { viewer: ['runs:read'] },
  egress: { allowPrivate: true },
});

/** Works and disturbs until the time is over. Each disturbance has a chance of its own, made from the seed and its number. */
export async function disturb(soak, chosen = disturbances(soak.random)) {
  const working = TENANTS.map((tenant, at) =>
    keepWorking({ ...soak, random: createRandom(soak.seed + 2 + at) }, tenant),
  );
  const background = new Set();
  let number = 0;
  for (const { disturb: one, inBackground } of chosen) {
    if (soak.isOver()) break;
    number += 1;
    soak.disturbed[one.name] = (soak.disturbed[one.name] ?? 0) + 1;
    const done = one({ ...soak, random: createRandom(soak.seed * 1_000 + number) });
    const kept = done.finally(() => background.delete(kept));
    if (inBackground) background.add(kept);
    else await kept;
    if (background.size >= IN_BACKGROUND) await Promise.race(background);
    await pause(soak.random.below(400));
  }
  await Promise.all([...working, ...background]);
}

/** Brings everything to its end and holds it to what callers were told. */
export async function check(soak) {
  await settle(soak);
  await resumeCommands(soak);
  const facts = {
    runs: await checkTotals(soak),
    ends: await checkLogs(soak),
    audit: await checkAudit(soak),
    'log lines': await checkSilence(soak),
    memory: await checkGrowth(soak),
  };
  for (const slot of soak.hosts.slots()) await soak.hosts.end(slot, 'SIGTERM');
  return { ...facts, integrity: checkFile(soak) };
}
