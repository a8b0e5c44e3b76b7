// Runs the property tests on a seed that no run had before: npm run test:random [-- seed]
// Finds what the fixed seed of `npm test` does not; no part of CI, because another seed is not another change.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const seed = process.argv[2] ?? String(Math.floor(Math.random() * 2 ** 31));
const files = ['packages', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((file) => join(folder, String(file)))
    .filter((file) => file.endsWith('.test.ts') && !/(^|\/)(dist|node_modules)\//.test(file))
    .filter((file) =>
      /fast-check|-cases\.js|-walk\.js|setup\/seed\.js/.test(readFileSync(join(root, file), 'utf8')),
    ),
);
const command = `npm run test:random -- ${seed}`;
console.log(`${files.length} files with property tests, seed ${seed} (again: ${command})`);
const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
  cwd: root,
  env: { ...process.env, TOUCHSTONE_TEST_SEED: seed },
  stdio: 'inherit',
});
if (status !== 0) console.log(`Failed with seed ${seed}. Again: ${command}`);
process.exitCode = status ?? 1;
