// What someone gets who installs it: size, seconds, and whether it works without a compiler. Asks the registry.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, withFolder } from '../lib/process.mjs';
import { seconds } from '../lib/report.mjs';
import { bytesIn } from '../lib/touchstone.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = ['packages/protocol', 'packages/sdk', 'packages/touchstone'];

export async function install({ report }) {
  await withFolder(async (folder) => {
    const tarballs = await packAll(join(folder, 'tarballs'));
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true }));
    // An empty cache, because that is what a stranger and a fresh CI machine have. No scripts: nothing may need them.
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
    const { wallMs } = await npm(['install', ...options, ...tarballs], project);
    await checkWorks(project);
    tell(report, join(project, 'node_modules'), wallMs);
  });
}

/** The packages as they would be published. */
async function packAll(target) {
  mkdirSync(target);
  await npm(
    ['pack', ...PACKAGES.flatMap((name) => ['--workspace', name]), '--pack-destination', target],
    root,
  );
  return readdirSync(target).map((name) => join(target, name));
}

async function checkWorks(project) {
  const command = join(project, 'node_modules', '.bin', 'touchstone');
  for (const args of [
    ['init', 'demo'],
    ['run', 'demo/evals', '--config', 'demo/touchstone.config.json'],
  ]) {
    const { code, stderr } = await measure(command, args, { cwd: project });
    if (code !== 0)
      throw new Error(`The installed touchstone ${args[0]} ended with code ${code}:\n${stderr}`);
  }
}

function tell(report, modules, wallMs) {
  const megabytes = bytesIn(modules) / 1e6;
  const packages = countPackages(modules);
  report.note('install', { megabytes, wallMs, packages });
  const what = `install, ${packages} packages, no compiler`;
  report.row({ what, ours: `${Math.round(megabytes)} MB`, target: '≤ 100 MB', ok: megabytes <= 100 });
  report.row({
    what: 'install, empty cache',
    ours: seconds(wallMs),
    target: '≤ 15 s',
    ok: wallMs <= 15_000,
  });
}

const countPackages = (folder) =>
  readdirSync(folder).reduce((count, name) => {
    if (name.startsWith('.')) return count;
    return count + (name.startsWith('@') ? readdirSync(join(folder, name)).length : 1);
  }, 0);

async function npm(args, cwd) {
  const cost = await measure('npm', args, { cwd });
  if (cost.code !== 0)
    throw new Error(`npm ${args[0]} ended with code ${cost.code}:\n${cost.stderr.slice(-2000)}`);
  return cost;
}
