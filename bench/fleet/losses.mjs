// What a fleet loses when a worker is killed, stands still or is replaced, and when the database is away.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../lib/process.mjs';
import { seconds, times } from '../lib/report.mjs';
import { openGate } from './database.mjs';
import { CONCURRENCY, longestSilence, partsOf, runWide } from './wide-run.mjs';

const WIDE = { n: 4_000, delayMs: 100, workers: 3 };
/** One process executes it whole. */
const WHOLE = { n: 600, delayMs: 100, workers: 2, concurrency: 8 };
const MOST_MS = { killed: 3_000, stillWorker: 12_000, stillDriver: 16_000, away: 2_000 };
const MOST_RESTARTED = 1.1;
const AWAY_MS = 10_000;
/** What was answered in the last 5 ms and is still waiting to be written. */
const GATHERED = 4;

/** `kill -9` of a worker that executes and does not drive: until another one executes what it had. */
export const killedWorker = (parts) =>
  measureLoss(parts, 'kill -9 of one of three workers: its tasks are executed again after', WIDE, {
    choose: ({ other }) => other,
    signal: 'SIGKILL',
    lost: executedAgainAfter,
    most: MOST_MS.killed,
    mostAgain: CONCURRENCY / 2 + GATHERED,
  });

/** `kill -9` of the worker that drives the run: until the log grows again. The others go on meanwhile. */
export const killedDriver = (parts) =>
  measureLoss(parts, 'kill -9 of the driver: the log grows again after', WIDE, {
    choose: ({ driver }) => driver,
    signal: 'SIGKILL',
    lost: silentFor,
    most: MOST_MS.killed,
    mostAgain: CONCURRENCY / 2 + GATHERED,
  });

export const killedWhole = (parts) =>
  measureLoss(parts, 'kill -9 of the worker that has a run whole: the log grows again after', WHOLE, {
    choose: ({ driver }) => driver,
    signal: 'SIGKILL',
    lost: silentFor,
    most: MOST_MS.killed,
    mostAgain: WHOLE.concurrency + GATHERED,
  });

/** As when a machine vanishes: its connections stay, and nobody answers. Long enough to be noticed. */
export const stillWorker = (parts) =>
  measureLoss(
    { ...parts, reps: 1 },
    'a worker stands still: its tasks are executed again after',
    { ...WIDE, n: 12_000 },
    {
      choose: ({ other }) => other,
      signal: 'SIGSTOP',
      lost: executedAgainAfter,
      most: MOST_MS.stillWorker,
      mostAgain: CONCURRENCY / 2 + GATHERED,
    },
  );

export const stillDriver = (parts) =>
  measureLoss(
    { ...parts, reps: 1 },
    'the driver stands still: the log grows again after',
    { ...WIDE, n: 16_000 },
    {
      choose: ({ driver }) => driver,
      signal: 'SIGSTOP',
      lost: silentFor,
      most: MOST_MS.stillDriver,
      mostAgain: CONCURRENCY / 2 + GATHERED,
    },
  );

async function measureLoss({ report, reps, server }, what, run, { choose, signal, lost, most, mostAgain }) {
  const measured = [];
  for (let rep = 0; rep < reps; rep += 1) {
    const disturb = async (fleet) => {
      const one = choose(await partsOf(fleet));
      one.child.kill(signal);
      return { at: Date.now(), name: one.name };
    };
    const result = await runWide({ server, ...run, disturb });
    measured.push({ ms: lost(result), again: result.again });
  }
  addRows(report, what, measured, { most, mostAgain });
}

/** Until the first of its tasks was executed by another worker; 0 when it had none. */
function executedAgainAfter({ calls, disturbed: { at, name } }) {
  const its = new Set(calls.filter(({ caller }) => caller === name).map(({ input }) => input));
  const first = calls.find((one) => one.at >= at && one.caller !== name && its.has(one.input));
  return first ? first.at - at : 0;
}

const silentFor = ({ arrivals, disturbed: { at } }) => longestSilence(arrivals, at);

/** No process can reach the database for ten seconds: what is executed again, and how soon the log grows after that. */
export async function databaseAway({ report, server }) {
  let door;
  const gate = async (address, use) => {
    door = await openGate(address);
    return use(door.url).finally(door.shut);
  };
  const disturb = async () => {
    door.shut();
    await pause(AWAY_MS);
    await door.open();
    return { at: Date.now() };
  };
  const { calls, again, disturbed } = await runWide({ server, ...WIDE, workers: 2, gate, disturb });
  // Nothing is claimed while the database is away, so the first call after it follows the first commit.
  const first = calls.find(({ at }) => at >= disturbed.at);
  const what = `database away for ${AWAY_MS / 1000} s: work goes on after`;
  addRows(report, what, [{ ms: first ? first.at - disturbed.at : 0, again }], {
    most: MOST_MS.away,
    mostAgain: 0,
  });
}

const RESTARTED = { n: 24_000, delayMs: 50, workers: 3 };

/** Every worker is replaced: another one is started, then it is told to end. */
export async function rollingRestart({ report, server }) {
  const calm = await runWide({ server, ...RESTARTED });
  const disturb = async ({ workers, startWorker }) => {
    for (const { child, name } of workers) {
      await startWorker(`after-${name}`);
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  };
  const { wallMs, again } = await runWide({ server, ...RESTARTED, disturb });
  const ratio = wallMs / calm.wallMs;
  report.note('fleet', { what: 'rolling restart', wallMs, calmMs: calm.wallMs, again });
  report.row({
    what: 'all three workers replaced under load',
    ours: seconds(wallMs),
    floor: `undisturbed ${seconds(calm.wallMs)}`,
    ratio: times(ratio),
    target: `≤ ${MOST_RESTARTED} ×`,
    ok: ratio <= MOST_RESTARTED,
  });
  addAgain(report, 'all three workers replaced', again, 0);
}

function addRows(report, what, measured, { most, mostAgain }) {
  const ms = median(measured.map((one) => one.ms));
  const again = Math.max(...measured.map((one) => one.again));
  report.note('fleet', { what, ms, again, n: measured.length });
  report.row({
    what,
    ours: seconds(ms),
    floor: `limit ${seconds(most)}`,
    ratio: times(ms / most),
    target: '≤ 1 ×',
    ok: ms <= most,
  });
  addAgain(report, what.split(':')[0], again, mostAgain);
}

const addAgain = (report, what, again, most) =>
  report.row({
    what: `${what}: tasks executed again`,
    ours: String(again),
    target: `≤ ${most}`,
    ok: again <= most,
  });
