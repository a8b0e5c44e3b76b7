// kill -9 in the middle, then --resume: nothing lost, nothing doubled, the same scorecard and the same log.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { callsIn, madeAgain } from '../lib/calls.mjs';
import { node, withFolder } from '../lib/process.mjs';
import {
  AGENT,
  COMMAND,
  checkPasses,
  runArguments,
  runSuite,
  summaryOf,
  writeSuite,
} from '../lib/touchstone.mjs';

const TASKS = 1_000;
const WIDTH = 8;
// In flight, plus what was answered in the last 5 ms and is still waiting to be written: one more wave of 5 ms tasks.
const AT_MOST_TWICE = 2 * WIDTH;
const KILL_AT = [100, 500, 900];

export async function resume({ report }) {
  await withFolder(async (folder) => {
    const suite = writeSuite(folder, TASKS);
    const data = join(folder, 'undisturbed');
    const env = { BENCH_DELAY_MS: '5' };
    const { summary } = await runSuite({ suite, n: TASKS, data, env, concurrency: WIDTH });
    const whole = { summary: scoresOf(summary), log: await readLog(data) };
    for (const killAt of KILL_AT)
      await withFolder((place) => killAndResume(report, place, suite, killAt, whole));
  });
}

async function killAndResume(report, folder, suite, killAt, whole) {
  const data = join(folder, 'data');
  const callLog = join(folder, 'calls');
  const env = { BENCH_DELAY_MS: '5', BENCH_CALL_LOG: callLog };
  await killAfter(suite, data, env, () => callsIn(callLog).length >= killAt);
  const callsBefore = callsIn(callLog).length;
  const cost = await node([COMMAND, 'run', '--resume', '--agent', AGENT, '--data', data, '--json'], { env });
  const summary = summaryOf(cost);
  checkPasses('the resumed run', summary.passedCount, TASKS);
  const calls = callsIn(callLog);
  const twice = madeAgain(calls);
  const sameScores = isDeepStrictEqual(scoresOf(summary), whole.summary);
  const sameLog = isDeepStrictEqual(await readLog(data), whole.log);
  report.note('resume', { killAt, callsBefore, calls: calls.length, twice, sameScores, sameLog });
  report.row({
    what: `kill -9 after ${killAt} of ${TASKS} calls, resume: called twice`,
    ours: String(twice),
    target: `≤ ${AT_MOST_TWICE}`,
    ok: twice <= AT_MOST_TWICE,
  });
  report.row({
    what: `kill -9 after ${killAt}: scores and log as if undisturbed`,
    ours: `scores ${sameScores ? 'equal' : 'DIFFER'}, log ${sameLog ? 'equal' : 'DIFFERS'}`,
    target: 'equal',
    ok: sameScores && sameLog,
  });
  if (!sameScores)
    throw new Error(
      `A run killed after ${killAt} calls and resumed has other scores than an undisturbed one.`,
    );
}

async function killAfter(suite, data, env, isTime) {
  const child = spawn(process.execPath, runArguments(suite, data, WIDTH), {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (child.exitCode === null && !isTime()) await pause(2);
  if (child.exitCode !== null) throw new Error('The run was over before it could be killed.');
  child.kill('SIGKILL');
  await ended;
}

const scoresOf = ({ tasks, ...totals }) => ({
  ...totals,
  tasks: tasks.map(({ latencyMs: _, ...facts }) => facts),
});

/** The log without what differs between any two runs: ids, times, durations. */
async function readLog(data) {
  const { code, stdout, stderr } = await node([
    COMMAND,
    'show',
    'last',
    '--events',
    '--bodies',
    '--json',
    '--data',
    data,
  ]);
  if (code !== 0) throw new Error(`touchstone show ended with code ${code}:\n${stderr.slice(-2000)}`);
  return timeless(JSON.parse(stdout));
}

const PASSING = new Set(['eventId', 'runId', 'timestamp', 'latencyMs', 'durationMs', 'causationId']);

function timeless(value) {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !PASSING.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, timeless(member)]));
}
