// Is one build slower than another? node scripts/compare-builds.mjs <treeA> <treeB> [--rounds 20] [--n 10000] …
//
// Both trees are checked out and built (`npm ci && npm run build`). Each gets the workload and the agent of this
// tree's bench, in a process and a store of its own, and what counts is the processor time (user and system) of the
// whole process: on a busy machine it moves by a few hundredths where wall time moves by half.
//
// With --checks every task is decided by five checks in place of one comparison.
//
// Three things keep the noise below the difference that is looked for:
// - A round runs A B C C B A, where C is treeA again. What drifts slowly (heat, other load) hits all alike, and B is
//   compared with A of the same round only.
// - Each round is pinned to one processor where `taskset` exists; rounds take the processors in turn.
// - The ratio B/A is the mean of the middle half of the rounds, with a 95 % interval by bootstrap on a fixed seed.
//
// C/A is the control: equal code, so its interval has to contain 1, and its width is the smallest difference that this
// measurement can see. Many short rounds (`--n 3000 --rounds 30`) are better than a few long ones.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median, withFolder } from '../bench/lib/process.mjs';
import {
  checkPasses,
  runArguments,
  summaryOf,
  writeCheckedSuite,
  writeSuite,
} from '../bench/lib/touchstone.mjs';

const USAGE =
  'usage: node scripts/compare-builds.mjs <treeA> <treeB> [--rounds 20] [--n 10000] [--checks] [--no-control] [--no-pin] [--json]';
const ORDER = ['A', 'B', 'C', 'C', 'B', 'A'];
const RESAMPLES = 10_000;
const SEED = 20_200_607;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    n: { type: 'string', default: '10000' },
    checks: { type: 'boolean', default: false },
    'no-control': { type: 'boolean', default: false },
    'no-pin': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const tree = { A: resolve(positionals[0] ?? ''), B: resolve(positionals[1] ?? '') };
const [rounds, n] = [Number(values.rounds), Number(values.n)];
const order = values['no-control'] ? ORDER.filter((name) => name !== 'C') : ORDER;
const processors = values['no-pin'] ? [] : allowedProcessors();
checkArguments();

const say = (line) => values.json || console.log(line);
say(`A ${tree.A}\nB ${tree.B}`);
say(
  `${n} tasks, ${rounds} rounds of ${order.join(' ')}, ${processors.length > 0 ? `pinned to processors ${processors}` : 'not pinned'}, load ${loadavg()[0].toFixed(1)}`,
);
const measured = await withFolder(measureAll);
const result = conclude(measured);
if (values.json) console.log(JSON.stringify(result, null, 2));
else tell(result);

function checkArguments() {
  const isCount = (number) => Number.isInteger(number) && number > 0;
  const missing = Object.values(tree).find((folder) => !existsSync(commandOf(folder)));
  if (positionals.length === 2 && isCount(rounds) && isCount(n) && !missing) return;
  if (missing) console.error(`There is no command line in ${missing}: expected a tree of this repository.`);
  console.error(USAGE);
  process.exit(2);
}

function commandOf(folder) {
  return join(folder, 'packages/touchstone/bin/touchstone.js');
}

/** "0-2,5" → [0, 1, 2, 5]; nothing where processes cannot be pinned. */
function allowedProcessors() {
  if (!existsSync('/usr/bin/taskset')) return [];
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

async function measureAll(folder) {
  const suite = (values.checks ? writeCheckedSuite : writeSuite)(folder, n);
  const costs = [];
  for (const name of new Set(order)) await measureRun(name, suite, 0);
  for (let round = 0; round < rounds; round += 1) {
    const taken = { A: [], B: [], C: [] };
    for (const name of order) taken[name].push(await measureRun(name, suite, round));
    costs.push(taken);
    say(
      `round ${round + 1}: ${ratiosOf(taken)
        .map(([name, ratio]) => `${name}/A ${ratio.toFixed(3)}`)
        .join('  ')}`,
    );
  }
  return costs;
}

/** One whole run. bash's own `time` counts the child in milliseconds; /usr/bin/time would round to ten. */
async function measureRun(name, suite, round) {
  return withFolder(async (folder) => {
    const [, ...args] = runArguments(suite, join(folder, 'data'));
    const pin = processors.length > 0 ? ['taskset', '-c', String(processors[round % processors.length])] : [];
    const run = [...pin, process.execPath, commandOf(name === 'B' ? tree.B : tree.A), ...args];
    const timed = 'TIMEFORMAT="%3R %3U %3S"; exec 3>&2; time "$@" 2>&3';
    const output = await collect('bash', ['-c', timed, 'bash', ...run]);
    checkPasses(name, summaryOf(output).passedCount, n);
    const [wall, user, system] = output.stderr.trim().split('\n').at(-1).split(' ').map(Number);
    return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
  });
}

function collect(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (chunk) => (text[name] += chunk));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, ...text }));
  });
}

function ratiosOf(taken, member = 'cpuMs') {
  const sum = (name) => taken[name].reduce((total, cost) => total + cost[member], 0);
  return ['B', 'C'].filter((name) => taken[name].length > 0).map((name) => [name, sum(name) / sum('A')]);
}

function conclude(costs) {
  const all = (name, member) => costs.flatMap((taken) => taken[name].map((cost) => cost[member]));
  const names = [...new Set(order)];
  return {
    n,
    rounds,
    medianCpuMs: Object.fromEntries(names.map((name) => [name, median(all(name, 'cpuMs'))])),
    medianWallMs: Object.fromEntries(names.map((name) => [name, median(all(name, 'wallMs'))])),
    cpu: estimates(costs, 'cpuMs'),
    wall: estimates(costs, 'wallMs'),
  };
}

function estimates(costs, member) {
  const perRound = costs.map((taken) => Object.fromEntries(ratiosOf(taken, member)));
  return Object.fromEntries(
    Object.keys(perRound[0]).map((name) => [`${name}/A`, estimate(perRound.map((ratios) => ratios[name]))]),
  );
}

function estimate(ratios) {
  const random = createRandom(SEED);
  const resample = () => ratios.map(() => ratios[Math.floor(random() * ratios.length)]);
  const means = Array.from({ length: RESAMPLES }, () => middleMean(resample())).sort((a, b) => a - b);
  const at = (share) => means[Math.floor(share * (RESAMPLES - 1))];
  return { ratio: middleMean(ratios), low: at(0.025), high: at(0.975) };
}

/** The mean of the middle half: a round that was disturbed does not count, and more is used than one round. */
function middleMean(numbers) {
  const cut = Math.floor(numbers.length / 4);
  const kept = numbers.toSorted((a, b) => a - b).slice(cut, numbers.length - cut);
  return kept.reduce((sum, number) => sum + number, 0) / kept.length;
}

/** mulberry32: small, and the same everywhere. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function tell({ medianCpuMs, medianWallMs, cpu, wall }) {
  for (const [what, medians, ratios] of [
    ['processor time', medianCpuMs, cpu],
    ['wall time', medianWallMs, wall],
  ]) {
    const middle = Object.entries(medians).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
    say(`\n${what}, medians: ${middle.join('  ')}`);
    for (const [name, { ratio, low, high }] of Object.entries(ratios)) {
      const note = name === 'C/A' ? '  (control: equal code)' : '';
      say(`  ${name}  ${ratio.toFixed(3)}  [${low.toFixed(3)}, ${high.toFixed(3)}]${note}`);
    }
  }
}
