// node scripts/soak.mjs [--minutes 1] [--seed 1] [--keep DIR]
// Real hosts and commands on one store, disturbed at random for some minutes; then everything that was promised is checked.
// Prints what was done and found; exits with 1 when something did not hold. `--keep` copies the store and the hosts' log.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { report } from './soak/report.mjs';
import { check, closeSoak, disturb, openSoak } from './soak/soak.mjs';
import { namespaceLauncher, openStorage } from './soak/storage.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});
const INSIDE = 'TOUCHSTONE_SOAK_INSIDE';
const say = (line) => console.log(line);

/** The same command in a mount namespace, where a small disk can be mounted without being root. */
async function runInNamespace() {
  const script = fileURLToPath(import.meta.url);
  const [program, ...args] = [...namespaceLauncher(), process.execPath, script, ...process.argv.slice(2)];
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

async function main() {
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  const storage = openStorage({ minutes });
  say(`soak: ${minutes} min, seed ${seed}`);
  say(`disk full: ${storage.kindOfFull ?? 'SKIPPED, this machine allows neither a tmpfs nor prlimit'}`);
  let soak;
  const close = async () => {
    if (soak) await closeSoak(soak);
    if (soak && values.keep) keep(soak);
    storage.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => close().then(() => process.exit(130)));
  try {
    soak = await openSoak({ minutes, seed, storage });
    say(`${soak.hosts.all.length} hosts listen; disturbing them`);
    await disturb(soak);
    say('over; everything comes to its end');
    return report('soak', soak, figuresOf(soak, await check(soak)));
  } finally {
    await close();
  }
}

function keep({ storage, hosts }) {
  mkdirSync(values.keep, { recursive: true });
  cpSync(storage.data, join(values.keep, 'data'), { recursive: true });
  writeFileSync(join(values.keep, 'hosts.log'), hosts.log.join('\n'));
}

const figuresOf = ({ disturbed, calls, commands, hosts, troubles }, facts) => ({
  disturbances: disturbed,
  'hosts started': hosts.all.length,
  'times full': troubles.times.length,
  commands,
  answers: Object.fromEntries([...calls.statuses].sort()),
  '503 because': Object.fromEntries(calls.reasons),
  ...facts,
});

process.exitCode = process.env[INSIDE] ? await main() : await runInNamespace();
