// Where does the time of a run go? node bench/profile.mjs [tasks] [rows]
// Profiles every thread of one `touchstone run` and lists self time by place and by function.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { node, withFolder } from './lib/process.mjs';
import { checkPasses, runArguments, summaryOf, writeSuite } from './lib/touchstone.mjs';

const tasks = Number(process.argv[2] ?? 50_000);
const rowCount = Number(process.argv[3] ?? 40);
const root = fileURLToPath(new URL('..', import.meta.url));
const unbundled = fileURLToPath(new URL('./lib/unbundled.mjs', import.meta.url));
const THREADS = {
  'lib/unbundled.mjs': 'main thread',
  'writer-worker.js': 'writer thread',
  'module-worker.js': 'agent thread',
};

await withFolder(async (folder) => {
  const suite = writeSuite(folder, tasks);
  const profiles = join(folder, 'profiles');
  const flags = ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', profiles];
  const [, ...args] = runArguments(suite, join(folder, 'data'));
  const cost = await node([...flags, unbundled, ...args]);
  checkPasses('touchstone', summaryOf(cost).passedCount, tasks);
  const [wallMs, rssMb] = [Math.round(cost.wallMs), Math.round(cost.rssMb)];
  console.log(`${tasks} tasks, wall ${wallMs} ms under the profiler, peak ${rssMb} MB`);
  for (const file of readdirSync(profiles))
    tellProfile(JSON.parse(readFileSync(join(profiles, file), 'utf8')));
});

function tellProfile(profile) {
  const selfMs = selfTimes(profile);
  const total = [...selfMs.values()].reduce((sum, ms) => sum + ms, 0);
  const places = group(profile.nodes, selfMs, (frame) => placeOf(frame) || frame.functionName);
  const functions = group(profile.nodes, selfMs, nameOf);
  const atWork = total - (places.get('(idle)') ?? 0);
  console.log(`\n${threadOf(profile)}: ${Math.round(total)} ms, ${Math.round(atWork)} ms at work`);
  tellTop('by place', places, atWork, 25);
  tellTop('by function', functions, atWork, rowCount);
}

function threadOf({ nodes }) {
  const runs = (name) => nodes.some(({ callFrame }) => callFrame.url.endsWith(name));
  return Object.entries(THREADS).find(([name]) => runs(name))?.[1] ?? 'some thread';
}

function selfTimes({ nodes, samples, timeDeltas }) {
  const ms = new Map(nodes.map(({ id }) => [id, 0]));
  for (const [at, id] of samples.entries()) ms.set(id, ms.get(id) + timeDeltas[at] / 1000);
  return ms;
}

function group(nodes, selfMs, keyOf) {
  const sums = new Map();
  for (const { id, callFrame } of nodes) {
    const key = keyOf(callFrame);
    sums.set(key, (sums.get(key) ?? 0) + selfMs.get(id));
  }
  return sums;
}

function nameOf({ functionName, url, lineNumber }) {
  const where = url ? `${placeOf({ url })}:${lineNumber + 1}` : '';
  return `${functionName || '(anonymous)'}  ${where}`;
}

function placeOf({ url }) {
  return decodeURI(url)
    .replace(/^file:\/\//, '')
    .replace(root, '')
    .replace('packages/touchstone/dist/', '')
    .replace(/^packages\/(\w+)\/dist\//, '$1:');
}

function tellTop(title, sums, total, count) {
  console.log(`\n  ${title}`);
  const rows = [...sums].filter(([name]) => !name.startsWith('(idle)')).sort(([, a], [, b]) => b - a);
  for (const [name, ms] of rows.slice(0, count)) {
    const share = ((100 * ms) / total).toFixed(1);
    console.log(`  ${String(Math.round(ms)).padStart(7)} ms ${share.padStart(5)} %  ${name}`);
  }
}
