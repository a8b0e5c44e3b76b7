// What happens to processes, to the database and to the lines between them. Clients do what they do in the soak.
import { setTimeout as pause } from 'node:timers/promises';
import { cancelRun, pauseRun } from '../soak/disturbances/control.mjs';
import { transitionAgent } from '../soak/disturbances/deployments.mjs';
import { foreignIds } from '../soak/disturbances/foreign.mjs';
import { inTurns } from '../soak/disturbances/index.mjs';
import { killHost, stopHost } from '../soak/disturbances/processes.mjs';
import { slowReader } from '../soak/disturbances/readers.mjs';
import { doubledRequest, swallowedAnswers } from '../soak/disturbances/repeats.mjs';

const asWorkers = (chaos) => ({ ...chaos, hosts: chaos.workers });
const killWorker = (chaos) => killHost(asWorkers(chaos));
/** Told to end: it finishes its tasks first. */
const drainWorker = (chaos) => stopHost(asWorkers(chaos));

const anyProcess = ({ hosts, workers, random }) =>
  random.pick([...hosts.running(), ...workers.running(), ...workers.running()]);

/** A process stands still, for less than its lease or for longer, and goes on as if nothing had happened. */
async function freezeProcess(chaos) {
  const one = anyProcess(chaos);
  if (!one || one.frozen) return;
  const frozen = { name: one.name, from: Date.now() };
  chaos.frozen.push(frozen);
  one.frozen = true;
  one.child.kill('SIGSTOP');
  await pause(chaos.random.pick([500, 2_000, 5_000, 17_000]));
  one.child.kill('SIGCONT');
  one.frozen = false;
  frozen.to = Date.now();
}

/** `line` is the one that is cut; without one, every process is cut off. */
const troubled = async ({ troubles, cutOff }, ms, end, line) => {
  const over = troubles.begin();
  const cut = { line, isAll: line === undefined, from: Date.now() };
  cutOff.push(cut);
  await pause(ms);
  end();
  over();
  cut.to = Date.now();
};

/** The database dies as after a loss of power, and is started a little later. */
async function crashDatabase(chaos) {
  const { database, random } = chaos;
  if (chaos.away.database) return;
  chaos.away.database = true;
  database.crash();
  await troubled(chaos, random.below(4_000), database.start);
  chaos.away.database = false;
}

/** The database stands still, with all its connections open. */
async function freezeDatabase(chaos) {
  const { database, random } = chaos;
  if (chaos.away.database) return;
  chaos.away.database = true;
  database.freeze();
  await troubled(chaos, random.between(300, 5_000), database.thaw);
  chaos.away.database = false;
}

const anyLine = ({ hosts, workers, random }) =>
  random.pick([...hosts.lines, ...workers.lines, ...workers.lines]);

/** One process loses its connections to the database, and gets no others for a while. */
async function cutLine(chaos) {
  const line = anyLine(chaos);
  line.cut();
  await troubled(chaos, chaos.random.between(200, 8_000), line.mend, line);
}

/** Nothing passes between one process and the database for a while, which neither of them is told. */
async function holdLine(chaos) {
  const line = anyLine(chaos);
  line.hold();
  await troubled(chaos, chaos.random.pick([300, 3_000, 8_000, 25_000]), line.mend, line);
}

/**
 * One process loses the connection by which the others see that it lives, and gets no other. It knows that: nothing excuses its calls.
 * One that is started meanwhile cannot have that connection, and may refuse to start.
 */
async function deafenLine(chaos) {
  const line = anyLine(chaos);
  const over = chaos.troubles.begin();
  line.deafen();
  await pause(chaos.random.pick([300, 3_000, 10_000]));
  line.mend();
  over();
}

const DISTURBANCES = [
  { disturb: killWorker, weight: 4 },
  { disturb: drainWorker, weight: 3 },
  { disturb: killHost, weight: 2 },
  { disturb: stopHost, weight: 2 },
  { disturb: freezeProcess, weight: 4, inBackground: true },
  { disturb: crashDatabase, weight: 1 },
  { disturb: freezeDatabase, weight: 2 },
  { disturb: cutLine, weight: 4, inBackground: true },
  { disturb: holdLine, weight: 3, inBackground: true },
  { disturb: deafenLine, weight: 2, inBackground: true },
  { disturb: cancelRun, weight: 3, inBackground: true },
  { disturb: pauseRun, weight: 4, inBackground: true },
  { disturb: slowReader, weight: 5, inBackground: true },
  { disturb: swallowedAnswers, weight: 2 },
  { disturb: doubledRequest, weight: 3, inBackground: true },
  { disturb: transitionAgent, weight: 3, inBackground: true },
  { disturb: foreignIds, weight: 1, inBackground: true },
];

export const disturbances = (random) => inTurns(DISTURBANCES, random);
