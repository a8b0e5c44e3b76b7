// Runs the suites once, tells the job its outputs, and keeps the baseline of a branch that was pushed to.
import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folders, runArguments } from './arguments.mjs';

const { env } = process;
const places = folders(env);
const SIGNING_KEY = 'signing-key.pem';

/** Inputs stay here. The token writes the comment and nothing else: without a comment there is none. */
function childEnvironment() {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('INPUT_'));
  const token = env.INPUT_COMMENT === 'true' ? (env.INPUT_TOKEN ?? '') : '';
  return { ...Object.fromEntries(others), GITHUB_TOKEN: token };
}

const cwd = resolve(env.INPUT_WORKING_DIRECTORY || '.');

function touchstone(...words) {
  const program = join(places.program, 'node_modules/touchstone/bin/touchstone.js');
  // Without the hyphens Node 20 takes --env-file for an option of its own, and ends with 9 when there is no such file.
  const { status, error } = spawnSync(process.execPath, ['--', program, ...words], {
    cwd,
    env: childEnvironment(),
    stdio: 'inherit',
  });
  if (error) console.error(`Touchstone could not be started: ${error.message}`);
  return status ?? 3;
}

const output = (name, value) => env.GITHUB_OUTPUT && appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`);

/** The cache of the base branch, with the key that its scorecards are signed by; undefined before the first push. */
function cachedBaseline() {
  const files = existsSync(places.baseline) ? readdirSync(places.baseline) : [];
  if (!files.some((name) => name.endsWith('.scorecard.json'))) return undefined;
  mkdirSync(places.data, { recursive: true });
  const key = join(places.baseline, SIGNING_KEY);
  if (existsSync(key)) copyFileSync(key, join(places.data, SIGNING_KEY));
  return places.baseline;
}

function baselineOf(input) {
  if (input === 'auto') return cachedBaseline();
  return input === 'none' ? undefined : input;
}

/** A run that was not judged is no measure for others: the baseline then stays as it was. */
function saveBaseline(code) {
  if (env.INPUT_BASELINE !== 'auto' || env.GITHUB_EVENT_NAME !== 'push' || code > 1) return;
  const config = env.INPUT_CONFIG ? ['--config', env.INPUT_CONFIG] : [];
  if (touchstone('export', '--all', places.baseline, '--data', places.data, ...config) !== 0) return;
  copyFileSync(join(places.data, SIGNING_KEY), join(places.baseline, SIGNING_KEY));
  output('baseline', 'saved');
}

const code = touchstone(...runArguments(env, baselineOf(env.INPUT_BASELINE || 'auto'), places));
output('exit-code', code);
const report = join(places.report, 'report.html');
// Bad input ends before there is a run to tell of.
if (existsSync(report)) output('report', report);
if (code === 2) output('verdict', 'not run');
saveBaseline(code);
