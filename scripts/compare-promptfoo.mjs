// Runs the same configuration with promptfoo and here, and compares the verdict on each test. Outside `npm test`, because it
// installs promptfoo from the npm registry into a temporary folder (250 MB). Its provider repeats the prompt, so no model is
// asked; its telemetry and update check are off.
//
//   node scripts/compare-promptfoo.mjs [config.yaml] [--promptfoo <folder with node_modules>]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const SAMPLE = 'packages/touchstone/src/importers/testing/promptfoo/agreeing.yaml';
const words = process.argv.slice(2);
const flag = words.indexOf('--promptfoo');
const given = flag < 0 ? undefined : words.splice(flag, 2)[1];
const config = resolve(words[0] ?? join(root, SAMPLE));
const work = mkdtempSync(join(tmpdir(), 'compare-promptfoo-'));

const QUIET = {
  PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1',
  PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
  PROMPTFOO_DISABLE_SHARING: '1',
  PROMPTFOO_CONFIG_DIR: join(work, 'promptfoo'),
};

function installed() {
  if (given !== undefined) return resolve(given);
  writeFileSync(join(work, 'package.json'), '{"private":true}');
  const options = ['install', 'promptfoo', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', options, { cwd: work, stdio: 'inherit' });
  return work;
}

/** What promptfoo says of each test, by its variables. It ends with another code than 0 when a test fails. */
function theirVerdicts() {
  const program = join(installed(), 'node_modules/promptfoo/dist/src/entrypoint.js');
  const out = join(work, 'theirs.json');
  const options = ['eval', '-c', config, '-o', out, '--no-cache', '--no-table', '--no-progress-bar'];
  const done = spawnSync(process.execPath, [program, ...options], {
    cwd: dirname(config),
    env: { ...process.env, ...QUIET },
    encoding: 'utf8',
  });
  if (done.error || ![0, 100].includes(done.status)) throw new Error(`promptfoo failed: ${done.stderr}`);
  const { results } = JSON.parse(readFileSync(out, 'utf8'));
  return new Map(
    results.results.map(({ testCase, vars, success }) => [keyOf(testCase.description, vars), success]),
  );
}

const sorted = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((name) => [name, sorted(value[name])]),
      )
    : value;
/** promptfoo shows variables before they are filled into each other, and writes JSON in a text anew. */
function asShown(value, vars) {
  if (typeof value !== 'string') return value;
  const filled = value.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => String(vars[name]));
  try {
    return JSON.stringify(JSON.parse(filled));
  } catch {
    return filled;
  }
}

const keyOf = (description, vars) => {
  const shown = Object.entries(vars).map(([name, value]) => [name, asShown(value, vars)]);
  return JSON.stringify([description, sorted(Object.fromEntries(shown))]);
};

function touchstone(...typed) {
  const program = join(root, 'packages/touchstone/bin/touchstone.js');
  const done = spawnSync(process.execPath, [program, ...typed], { cwd: work, encoding: 'utf8' });
  if (![0, 1].includes(done.status)) throw new Error(`touchstone ${typed[0]}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** The same here. */
function ourVerdicts() {
  const imported = JSON.parse(
    touchstone('import', 'promptfoo', config, '-o', 'ours', '--id', 'local.compare.evals.ours', '--json'),
  );
  const { agents } = JSON.parse(readFileSync(join(work, 'ours/ours.config.json'), 'utf8'));
  const [{ agentId }] = agents;
  touchstone(
    'run',
    'ours/ours.suite.yaml',
    '--config',
    'ours/ours.config.json',
    '--agent',
    agentId,
    '--output',
    'ours.jsonl',
    '--data',
    'data',
  );
  const passed = new Map(
    readFileSync(join(work, 'ours.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"taskId"'))
      .map((line) => JSON.parse(line))
      .map(({ taskId, score }) => [taskId, score === 1]),
  );
  const { tasks } = parse(readFileSync(join(work, 'ours/ours.suite.yaml'), 'utf8'));
  const changed = imported.items.filter(({ severity }) => severity !== 'note');
  return {
    verdicts: new Map(
      tasks.map(({ taskId, description, input }) => [keyOf(description, input), passed.get(taskId)]),
    ),
    changed,
  };
}

try {
  const theirs = theirVerdicts();
  const { verdicts: ours, changed } = ourVerdicts();
  for (const { file, line, what } of changed) console.log(`not compared: ${file}:${line} ${what}`);
  const different = [...theirs].filter(([key, verdict]) => ours.get(key) !== verdict);
  for (const [key, verdict] of different) console.log(`promptfoo ${verdict}, here ${ours.get(key)}: ${key}`);
  console.log(`${theirs.size} tests, ${different.length} disagreements`);
  process.exitCode = different.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
