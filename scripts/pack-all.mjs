// Makes the archives that people install: `touchstone-<version>.tgz` and `touchstone-sdk-<version>.tgz`. Each installs
// alone. `npm pack` leaves out packages that a workspace links to, so real copies of them are put inside first.
//
//   npm run pack:all              into the folder packed
//   npm run pack:all -- <folder>  elsewhere
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, 'packed'));
const stage = mkdtempSync(join(tmpdir(), 'touchstone-pack-'));

/**
 * The server takes any light-my-request of this major version, and the newest needs a package for Node 22. The workspace
 * itself overrides that package, which a published one cannot.
 */
const FOR_NODE_20 = { 'light-my-request': '~6.6.0' };

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Packs a folder without running scripts, and tells the archive's name. */
const pack = (folder, destination) =>
  JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', destination], folder))[0]
    .filename;

/** The files that a package publishes, in a folder of their own. */
function unpacked(name) {
  const folder = join(stage, name);
  mkdirSync(folder);
  const archive = join(stage, pack(join(root, 'packages', name), stage));
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components', '1'], stage);
  rmSync(archive);
  return folder;
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Only the newest of the joined builds: the others are for hosts that were started before it. */
function keepNewestBuild(folder) {
  const dist = join(folder, 'dist');
  const lead = readFileSync(join(dist, 'bundle/main.cjs'), 'utf8');
  for (const name of readdirSync(dist))
    if (/^bundl(?:e-|ing-)/.test(name) && !lead.includes(`/${name}/`))
      rmSync(join(dist, name), { recursive: true });
}

/** Puts copies of our own packages into one of them. What they depend on becomes a dependency of the whole. */
function complete(folder, inner, pinned = {}) {
  const { scripts: _, devDependencies: __, ...manifest } = manifestOf(folder);
  const copies = inner.map((one) => ({ one, manifest: manifestOf(one) }));
  for (const copy of copies)
    cpSync(copy.one, join(folder, 'node_modules', copy.manifest.name), { recursive: true });
  const dependencies = Object.assign(
    {},
    ...copies.map((copy) => copy.manifest.dependencies),
    manifest.dependencies,
  );
  const names = copies.map((copy) => copy.manifest.name);
  const whole = { ...manifest, dependencies: { ...dependencies, ...pinned }, bundleDependencies: names };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`);
}

try {
  const [protocol, sdk, touchstone] = ['protocol', 'sdk', 'touchstone'].map(unpacked);
  keepNewestBuild(touchstone);
  complete(touchstone, [protocol, sdk], FOR_NODE_20);
  complete(sdk, [protocol]);
  for (const folder of [touchstone, sdk]) cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  if (!existsSync(out)) mkdirSync(out, { recursive: true });
  for (const folder of [touchstone, sdk]) {
    const name = pack(folder, stage);
    cpSync(join(stage, name), join(out, `${name}.new`));
    renameSync(join(out, `${name}.new`), join(out, name));
    console.log(join(out, name));
  }
} finally {
  rmSync(stage, { recursive: true });
}
