// One tenant attacks, another works: how much slower is the host for the one that works? Each attack alone, then all at once,
// each on a fresh host that is measured quiet first.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median, withFolder } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { createCall, startServer, writeConfig } from '../lib/server.mjs';
import { ATTACKS } from '../noisy/attacks.mjs';
import { KEYS_OF_A_TENANT, measureTenant } from '../noisy/measure.mjs';
import { openSilentNames } from '../noisy/silent-names.mjs';

/** 600 requests: the six slowest lie beyond p99, so one pause of the machine alone does not decide it. */
const MEASURED_SECONDS = 15;
const WARM_SECONDS = 2;
/** An attack that takes longer to prepare is measured while it prepares. */
const PREPARE_MS = 60_000;
const TASKS = 10;
const ALL = 'all at once';
const WORST_P99 = 3;
const LEAST_THROUGHPUT = 0.5;

/** Keys per phase: each has its own rate limit, and those of the last one have not worked from this address when the attack begins. */
const keysOf = (phase) => Array.from({ length: KEYS_OF_A_TENANT }, (_, at) => `acme-key-${phase}-${at}`);
const KEYS = { warm: keysOf('warm'), quiet: keysOf('quiet'), noisy: keysOf('noisy') };
const RIVAL_KEY = 'rival-key';

export async function noisy({ report, reps, attacks = Object.keys(ATTACKS), measuredSeconds }) {
  const alone = attacks.filter((name) => name !== ALL).map((name) => [name, [name]]);
  const together = alone.length > 0 ? attacks.filter((name) => name !== ALL) : Object.keys(ATTACKS);
  const kinds = alone.length === 1 ? alone : [...alone, [ALL, together]];
  const pairs = new Map(kinds.map(([name]) => [name, []]));
  await withFolder(async (folder) => {
    const silent = await openSilentNames(folder);
    if (!silent)
      report.say('  names: no silent name server here (needs port 53); an agent that never answers instead');
    try {
      for (let rep = 0; rep < reps; rep += 1)
        for (const [name, chosen] of kinds)
          pairs.get(name).push(await measurePair(report, name, chosen, silent, measuredSeconds));
    } finally {
      silent?.close();
    }
  });
  for (const [name, measured] of pairs) tell(report, name, measured);
}

/** A quiet measurement and a noisy one on one host. The host and what was started for it are killed afterwards. */
async function measurePair(report, name, attacks, silent, measuredSeconds = MEASURED_SECONDS) {
  return withFolder(async (folder) => {
    const agents = startScript('../noisy/agents.mjs');
    const config = writeConfig(folder, configuration());
    const host = await startServer({ config, data: join(folder, 'data'), launcher: silent?.launcher });
    const started = [agents.child, host.child];
    try {
      const origin = `http://localhost:${await agents.line}`;
      const acme = { ...(await prepareAcme(host.url, origin)), seconds: measuredSeconds };
      await measureTenant({ ...acme, keys: KEYS.warm, seconds: WARM_SECONDS });
      const quiet = await measureTenant({ ...acme, keys: KEYS.quiet });
      const unanswered = silent ? 'http://agent.silent.test/' : '/silent';
      const attack = { url: host.url, key: RIVAL_KEY, agents: origin, unanswered, attacks };
      const neighbour = startScript('../noisy/neighbour.mjs', JSON.stringify(attack));
      started.push(neighbour.child);
      const refused = JSON.parse(
        (await Promise.race([neighbour.line, pause(PREPARE_MS)])) ?? '["still preparing"]',
      );
      const loud = await measureTenant({ ...acme, keys: KEYS.noisy });
      note(report, name, { quiet, loud, refused });
      return { quiet, loud };
    } finally {
      for (const child of started) child.kill('SIGKILL');
      await host.ended;
    }
  });
}

/** Default limits: they are part of what is measured. */
const configuration = () => ({
  keys: [
    ...Object.values(KEYS).flatMap((keys) => keys.map((key) => ({ key, tenant: 'acme', roles: ['runner'] }))),
    { key: RIVAL_KEY, tenant: 'rival', roles: ['runner'] },
  ],
  egress: { allowPrivate: true },
});

async function prepareAcme(url, origin) {
  const call = createCall(url, KEYS.warm[0]);
  const agentId = 'local.acme.bot';
  const agent = { agentId, version: '1.0.0', run: { kind: 'http', url: `${origin}/echo` } };
  await call('PUT', `/v1/host/touchstone/agents/${agentId}`, agent);
  const tasks = Array.from({ length: TASKS }, (_, at) => ({
    taskId: `t-${at}`,
    input: `q${at}`,
    expected: { kind: 'golden', match: { strategy: 'exact', value: `q${at}` } },
  }));
  const suite = { suiteId: 'local.acme.evals.echo', version: '1.0.0', modes: ['golden'], tasks };
  await call('POST', '/v1/host/touchstone/suites', suite);
  const run = { mode: 'eval', evalSuiteRef: suite.suiteId, agentId };
  const { runId } = await call('POST', '/v1/runs', run);
  while (!(await call('GET', `/v1/runs/${runId}`)).completedAt) await pause(20);
  return { url, runId, run, tasks: TASKS };
}

/** A script of this bench, and the first line it prints; undefined when it ends without one. */
function startScript(path, ...args) {
  const script = fileURLToPath(new URL(path, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const line = new Promise((resolve) => lines.once('line', resolve).once('close', () => resolve(undefined)));
  return { child, line };
}

function note(report, name, { quiet, loud, refused }) {
  report.note('noisy', {
    attack: name,
    'quiet p50': quiet.p50,
    'quiet p99': quiet.p99,
    'quiet runs/s': quiet.runsPerSecond,
    p50: loud.p50,
    p99: loud.p99,
    'runs/s': loud.runsPerSecond,
    failed: loud.failed,
    unanswered: loud.unanswered,
    'runs refused': loud.refused,
    'runs wrong': loud.wrong,
    ...(refused.length > 0 && { 'attack refused': refused.join('; ') }),
  });
}

function tell(report, name, pairs) {
  const middle = (side, member) => median(pairs.map((pair) => pair[side][member]));
  const ratio = (member) => median(pairs.map(({ quiet, loud }) => loud[member] / quiet[member]));
  const sum = (member) => pairs.reduce((total, { loud }) => total + loud[member], 0);
  // Most answers did not come within the measurement: the ratio is larger than what is shown.
  const isBound = pairs.filter(({ loud }) => loud.isBound).length * 2 > pairs.length;
  const lost = sum('failed') + sum('refused');
  const shown = (side) => `${seconds(middle(side, 'p50'))} / ${seconds(middle(side, 'p99'))}`;
  report.row({
    what: `${name}: GET of the other tenant, p50 / p99`,
    ours: shown('loud'),
    floor: `quiet ${shown('quiet')}`,
    ratio: `${times(ratio('p50'))} / ${isBound ? '> ' : ''}${times(ratio('p99'))}`,
    target: `p99 ≤ ${WORST_P99} ×`,
    ok: ratio('p99') <= WORST_P99 && !isBound,
  });
  report.row({
    what: `${name}: its runs${lost > 0 ? `, ${lost} requests refused` : ''}`,
    ours: `${middle('loud', 'runsPerSecond').toFixed(1)}/s`,
    floor: `quiet ${middle('quiet', 'runsPerSecond').toFixed(1)}/s`,
    ratio: times(ratio('runsPerSecond')),
    target: `≥ ${LEAST_THROUGHPUT} ×`,
    ok: ratio('runsPerSecond') >= LEAST_THROUGHPUT && lost === 0,
  });
  if (sum('wrong') > 0)
    throw new Error(`${name}: ${sum('wrong')} runs of the other tenant have wrong scores.`);
}
