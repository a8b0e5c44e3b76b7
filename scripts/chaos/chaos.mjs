// One chaos: a database, hosts and workers; a calm run of each suite to compare with; then disturbances until the time is over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeConfig } from '../../bench/lib/server.mjs';
import { startAgent } from '../soak/agent.mjs';
import { createCalls } from '../soak/calls.mjs';
import { checkLogs } from '../soak/checks/logs.mjs';
import { checkSilence } from '../soak/checks/silence.mjs';
import { checkAudit } from '../soak/checks/store.mjs';
import { checkTotals } from '../soak/checks/totals.mjs';
import { runCommand } from '../soak/command.mjs';
import { createFindings } from '../soak/findings.mjs';
import { createLedger } from '../soak/ledger.mjs';
import { createRandom } from '../soak/random.mjs';
import { settle } from '../soak/settle.mjs';
import { agentIdOf, FLEET_SUITES } from '../soak/suites.mjs';
import { createTroubles } from '../soak/troubles.mjs';
import { createRun, installSuites, TENANTS } from '../soak/work.mjs';
import { createGivenUp } from './checks/given-up.mjs';
import { checkOrder, createComparison } from './checks/logs.mjs';
import { checkLedger } from './checks/money.mjs';
import { checkCalls, checkRest, checkSeals, watchGrowth } from './checks/rows.mjs';
import { startDatabase } from './database.mjs';
import { createFleet } from './fleet.mjs';
import { createSales } from './sales.mjs';

const KEYS = { acme: 'chaos-key-of-acme', rival: 'chaos-key-of-rival', viewer: 'chaos-key-of-viewer' };
/** Longest of a lease, of what is kept for a database that is away, and of what waits for both. */
const SETTLE_MS = 240_000;
const GRACE_MS = 90_000;

export async function openChaos({ minutes, seed }) {
  const findings = createFindings();
  const troubles = createTroubles();
  const ledger = createLedger();
  const sales = createSales(ledger);
  const agent = await startAgent(sales.sell);
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-chaos-'));
  const config = writeConfig(folder, configuration(agent.url));
  const database = await startDatabase();
  const storage = { data: join(folder, 'command') };
  const chaos = {
    ...{ seed, findings, troubles, ledger, sales, agent, folder, config, database, storage, keys: KEYS },
    random: createRandom(seed),
    suites: FLEET_SUITES,
    ...{
      disturbed: {},
      frozen: [],
      cutOff: [],
      away: { database: false },
      env: { DATABASE_URL: database.url },
    },
    isOver: () => Date.now() > chaos.overAt,
    overAt: Number.POSITIVE_INFINITY,
  };
  await prepare(chaos);
  chaos.overAt = Date.now() + minutes * 60_000;
  return chaos;
}

async function prepare(chaos) {
  const { findings, random } = chaos;
  const { code, stderr } = await runCommand(chaos, ['store', 'prepare']);
  if (code !== 0) throw new Error(`store prepare ended with ${code}: ${stderr}`);
  Object.assign(chaos, await createFleet(chaos));
  for (const group of [chaos.hosts, chaos.workers]) for (const slot of group.slots()) await group.start(slot);
  chaos.calls = createCalls({ findings, random, hosts: chaos.hosts, expected: ['unreachable'] });
  for (const tenant of TENANTS) await installSuites(chaos, tenant, FLEET_SUITES);
  chaos.comparison = createComparison(chaos);
  for (const tenant of TENANTS)
    for (const suite of FLEET_SUITES) await chaos.comparison.calm(await createRun(chaos, tenant, suite));
  chaos.growth = watchGrowth(chaos);
}

const configuration = (url) => ({
  store: 'env:DATABASE_URL',
  keys: Object.entries(KEYS).map(([name, key]) => ({
    key,
    tenant: name === 'viewer' ? 'acme' : name,
    roles: [name === 'viewer' ? 'viewer' : 'admin'],
  })),
  roles: { viewer: ['runs:read'] },
  // Who asks is in a header, so that a call can be told from that of a process which has lost its run.
  agents: TENANTS.map((tenant) => ({
    agentId: agentIdOf(tenant),
    version: '1.0.0',
    tenant,
    run: { kind: 'http', url, headers: { 'x-caller': '$' + '{CHAOS_PROCESS}' } },
  })),
});

export async function closeChaos({ hosts, workers, growth, agent, database, folder }) {
  growth?.stop();
  await hosts?.close();
  await workers?.close();
  for (const line of [...(hosts?.lines ?? []), ...(workers?.lines ?? [])]) await line.close();
  await agent.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Brings everything to rest, and holds it to the promises of docs/scaling-out.md#what-holds. */
export async function check(chaos) {
  const { hosts, workers, findings } = chaos;
  for (const slot of workers.slots()) if (!workers.isUp(slot)) await workers.start(slot);
  await settle(chaos, SETTLE_MS);
  const facts = { runs: await checkTotals(chaos) };
  const givenUp = createGivenUp(chaos);
  facts.ends = await checkLogs(chaos, (entry, events) => checkOrder(findings, entry, events), givenUp.has);
  facts['given up'] = givenUp.facts;
  facts.compared = await chaos.comparison.check(givenUp.of);
  facts.audit = await checkAudit(chaos);
  const log = [...hosts.log, ...workers.log];
  facts['log lines'] = await checkSilence({ ...chaos, hosts: { log }, graceMs: GRACE_MS });
  facts.growth = chaos.growth.stop();
  for (const group of [workers, hosts]) for (const slot of group.slots()) await group.end(slot, 'SIGTERM');
  return { ...facts, ...(await checkDatabase(chaos, givenUp)) };
}

async function checkDatabase(chaos, givenUp) {
  const { code, stdout } = await runCommand(chaos, ['store', 'check', '--json']);
  if (code !== 0) chaos.findings.add('store check found faults', stdout);
  return {
    seals: await checkSeals(chaos),
    calls: await checkCalls(chaos),
    money: await checkLedger(chaos, givenUp.hasTask),
    left: await checkRest(chaos),
  };
}
