// Installs the archives that `npm run pack:all` makes into empty folders, without scripts, and uses them as people do.
// Packages that are not in npm's cache yet are fetched.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_BYTES = 100 * 1024 * 1024;
const place = mkdtempSync(join(tmpdir(), 'touchstone-packed-'));
const archives = join(place, 'archives');

function fail(words) {
  throw new Error(words);
}

/** Runs a command in a folder; it must end with 0. Gives what it wrote. */
function run(folder, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) fail(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return { stdout, stderr };
}

const bytesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

function installed(name, archive) {
  const folder = join(place, name);
  mkdirSync(folder);
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const { stderr } = run(folder, 'npm', 'install', ...flags, join(archives, archive));
  // What npm says about the settings of this machine is not about the package.
  const warnings = stderr.split('\n').filter((line) => /warn/i.test(line) && !line.includes('user config'));
  if (warnings.length > 0) fail(`Installing ${archive} warns:\n${warnings.join('\n')}`);
  const bytes = bytesIn(join(folder, 'node_modules'));
  if (bytes > MOST_BYTES) fail(`${archive} takes ${bytes} bytes when it is installed.`);
  console.log(`${archive}: ${Math.round(bytes / 1024 / 1024)} MB installed`);
  return folder;
}

const EVALUATE = `
import { evaluate } from 'touchstone';
const suite = [{ taskId: 'echo', input: 'hi', expect: [{ equals: 'hi' }] }];
const run = await evaluate({ suite, agent: (input) => input });
process.exit(run.failures.length === 0 ? run.exitCode : 9);
`;

const CLIENT = `
import { createClient } from '@touchstone/sdk';
if (typeof createClient !== 'function') process.exit(9);
`;

try {
  execFileSync(process.execPath, [fileURLToPath(new URL('pack-all.mjs', import.meta.url)), archives]);
  const names = readdirSync(archives);
  const whole = names.find((name) => /^touchstone-\d/.test(name)) ?? fail('There is no touchstone archive.');
  const sdk =
    names.find((name) => /^touchstone-sdk-\d/.test(name)) ?? fail('There is no archive of the SDK.');

  const folder = installed('whole', whole);
  const version = run(folder, 'npx', '--no-install', 'touchstone', '--version').stdout.trim();
  if (whole !== `touchstone-${version}.tgz`) fail(`${whole} says that it is ${version}.`);
  run(folder, 'npx', '--no-install', 'touchstone', 'init', 'demo');
  run(folder, 'npx', '--no-install', 'touchstone', 'run', 'demo/evals');
  for (const name of ['suite', 'config'])
    if (!existsSync(join(folder, `node_modules/touchstone/schemas/${name}.schema.json`)))
      fail(`The schema of ${name} is missing.`);
  writeFileSync(join(folder, 'evaluate.mjs'), EVALUATE);
  run(folder, process.execPath, 'evaluate.mjs');
  if (existsSync(join(folder, 'node_modules/@touchstone')))
    fail('The archive does not hold its own packages.');

  const other = installed('sdk', sdk);
  writeFileSync(join(other, 'client.mjs'), CLIENT);
  run(other, process.execPath, 'client.mjs');

  const direct = run(archives, 'npx', '--yes', '--prefer-offline', `./${whole}`, '--version').stdout.trim();
  if (direct !== version) fail(`npx ./${whole} --version says ${direct}.`);
  console.log('The archives install alone and work.');
} finally {
  rmSync(place, { recursive: true });
}
