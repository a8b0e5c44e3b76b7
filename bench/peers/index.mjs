// Other evaluators, installed into a folder of their own and given our tasks, our agent and our checks.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from '../lib/process.mjs';
import { checkPasses } from '../lib/touchstone.mjs';
import { makeTasks } from '../workload.mjs';
import { agentv } from './agentv.mjs';
import { braintrust } from './braintrust.mjs';
import { evalite } from './evalite.mjs';
import { promptfoo } from './promptfoo.mjs';
import { vitestEvals } from './vitest-evals.mjs';

const KNOWN = { promptfoo, evalite, 'vitest-evals': vitestEvals, braintrust, agentv };
const CONCURRENCY = 32;
const LIMIT_MS = 600_000;

/** No telemetry, no update checks, no sharing, no colours, for every peer alike. */
const QUIET = {
  CI: '1',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  FORCE_COLOR: '0',
  PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1',
  PROMPTFOO_DISABLE_SHARING: '1',
  PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
  BRAINTRUST_DISABLE_ATEXIT_FLUSH: '1',
};
const SKIP_DOWNLOADS = {
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  PUPPETEER_SKIP_DOWNLOAD: '1',
  BT_SKIP_DOWNLOAD: '1',
};

/** Peers by name, ready to run. A given folder is kept, so that a second bench finds them installed. */
export async function openPeers(names, folder, report) {
  if (!names) return { list: [], close: () => undefined };
  const home = folder ? resolve(folder) : mkdtempSync(join(tmpdir(), 'touchstone-bench-peers-'));
  mkdirSync(home, { recursive: true });
  const close = () => folder || rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  try {
    const list = [];
    for (const name of names.split(',')) list.push(await openPeer(name, home, report));
    return { list, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function openPeer(name, home, report) {
  const peer = KNOWN[name];
  if (!peer) throw new Error(`There is no peer called ${name}. Peers: ${Object.keys(KNOWN).join(', ')}`);
  const place = join(home, name);
  const folder = peer.needsNode22 && (await installNode22(home));
  const path = folder ? [folder, process.env.PATH].join(delimiter) : process.env.PATH;
  const env = { ...QUIET, PATH: path };
  if (!existsSync(join(place, 'node_modules'))) {
    const { wallMs } = await npmInstall(place, peer.packages, { ...SKIP_DOWNLOADS, PATH: path });
    report.say(`installed ${peer.packages.join(' ')} in ${Math.round(wallMs / 1000)} s`);
  }
  const bin = (command) => join(place, 'node_modules', '.bin', command);
  return {
    name,
    keeps: peer.keeps,
    /** The Node that it runs on. */
    node: folder ? join(folder, 'node') : process.execPath,
    run: (n, more = {}) => runPeer(peer, place, bin, n, { ...env, ...more }),
    ...(peer.command && { version: () => measure(bin(peer.command), ['--version'], { cwd: place, env }) }),
  };
}

/** Some peers refuse the Node we support at least; the npm package "node" carries a newer one. */
async function installNode22(home) {
  const place = join(home, 'node22');
  if (!existsSync(join(place, 'node_modules'))) await npmInstall(place, ['node@22'], {});
  return join(place, 'node_modules', 'node', 'bin');
}

async function npmInstall(place, packages, env) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const cost = await measure('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: place, env });
  if (cost.code === 0) return cost;
  rmSync(join(place, 'node_modules'), { recursive: true, force: true });
  throw new Error(`npm install ${packages.join(' ')} failed:\n${cost.stderr.slice(-2000)}`);
}

/** A fresh project inside the peer's folder, so that its packages resolve; gone afterwards. */
async function runPeer(peer, place, bin, n, env) {
  const project = mkdtempSync(join(place, 'project-'));
  try {
    writeProject(project, peer.files({ tasks: makeTasks(n), concurrency: CONCURRENCY }));
    const [command, ...args] = peer.start(bin);
    const cost = await measure(command, args, {
      cwd: project,
      env: { ...env, ...peer.env?.(project) },
      limitMs: LIMIT_MS,
    });
    checkPasses(peer.packages[0], readPasses(peer, project, cost, n), n);
    const { wallMs, cpuMs, rssMb } = cost;
    return { wallMs, cpuMs, rssMb };
  } finally {
    rmSync(project, { recursive: true, force: true, maxRetries: 5 });
  }
}

function writeProject(project, files) {
  for (const name of ['agent.mjs', 'workload.mjs']) {
    cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(project, name));
  }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

function readPasses(peer, project, { code, stdout, stderr }, n) {
  const output = () => JSON.parse(readFileSync(join(project, 'out.json'), 'utf8'));
  try {
    return peer.passed({ stdout, output, n });
  } catch (cause) {
    throw new Error(`${peer.packages[0]} (code ${code}) left no result:\n${stderr.slice(-2000)}`, { cause });
  }
}
