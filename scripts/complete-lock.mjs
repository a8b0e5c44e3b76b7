// Completes package-lock.json with the packages of other platforms. npm leaves optional packages out of the lock when it
// did not install them, and `npm ci` then refuses the lock, here or on the platform that misses them. Run after every
// change of dependencies: `npm install && node scripts/complete-lock.mjs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
];

/** The platform a package is for, read from its name: `…-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const system = SYSTEMS.find((candidate) => words.includes(candidate));
  const processor = PROCESSORS.find((candidate) => words.includes(candidate));
  const library = words.includes('musl') || words.includes('musleabihf') ? 'musl' : 'glibc';
  return {
    ...(processor && { cpu: [processor] }),
    ...(system === 'linux' && { libc: [library] }),
    ...(system && { os: [system] }),
  };
}

const missing = Object.values(lock.packages).flatMap((entry) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !lock.packages[`node_modules/${name}`])
    .map(([name, version]) => [name, version, entry.dev === true]),
);
for (const [name, version, dev] of missing) {
  lock.packages[`node_modules/${name}`] = {
    version: version.replace(/^[\^~]/, ''),
    ...(dev && { dev: true }),
    optional: true,
    ...platformOf(name),
  };
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length} packages of other platforms added`);
