// node scripts/chaos.mjs [--minutes 2] [--seed 1] [--keep FILE]
// Hosts, workers and a PostgreSQL server, killed, stopped, drained and cut off at random while clients create, follow, pause, resume
// and cancel runs; then everything that was promised is checked. Prints what was done and found; exits with 1 when something did not
// hold. `--keep` writes the log lines of all processes.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { check, closeChaos, openChaos } from './chaos/chaos.mjs';
import { disturbances } from './chaos/disturbances.mjs';
import { report } from './soak/report.mjs';
import { disturb } from './soak/soak.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});

async function main() {
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  console.log(`chaos: ${minutes} min, seed ${seed}`);
  const chaos = await openChaos({ minutes, seed });
  const close = () => closeChaos(chaos);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => close().then(() => process.exit(130)));
  try {
    console.log(`${chaos.hosts.all.length} hosts and ${chaos.workers.all.length} workers; disturbing them`);
    await disturb(chaos, disturbances(chaos.random));
    console.log('over; everything comes to its end');
    return report('chaos', chaos, figuresOf(chaos, await check(chaos)));
  } catch (error) {
    // What is found wrong while closing must not take its place.
    console.error(error);
    throw error;
  } finally {
    const lines = [...chaos.hosts.log, ...chaos.workers.log];
    if (values.keep) writeFileSync(values.keep, lines.join('\n'));
    await close();
  }
}

const figuresOf = ({ disturbed, hosts, workers, calls, frozen }, facts) => ({
  disturbances: disturbed,
  'processes started': { hosts: hosts.all.length, workers: workers.all.length },
  'stood still': frozen.length,
  answers: Object.fromEntries([...calls.statuses].sort()),
  '503 because': Object.fromEntries(calls.reasons),
  ...facts,
});

process.exitCode = await main();
