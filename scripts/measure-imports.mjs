// How much of the tests of other tools comes over: imports the samples of the tests, one for each format, and prints how many
// tests and expectations each has, how many came over, how many of these changed their meaning, and how much was lost.
//
//   npm run build && node scripts/measure-imports.mjs
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLES = fileURLToPath(
  new URL('../packages/touchstone/src/importers/testing/samples/', import.meta.url),
);
const PROGRAM = fileURLToPath(new URL('../packages/touchstone/bin/touchstone.js', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'measure-imports-'));

function measure({ name, files, format, options = [] }, index) {
  const typed = [
    ...(format ? [format] : []),
    ...files,
    ...options,
    '-o',
    join(work, String(index)),
    '--json',
  ];
  const done = spawnSync(process.execPath, [PROGRAM, 'import', ...typed], { cwd: SAMPLES, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${name}: exit code ${done.status}: ${done.stderr}`);
  const { tests, assertions, items } = JSON.parse(done.stdout);
  const count = (severity) =>
    items.filter((item) => item.severity === severity).reduce((sum, { times = 1 }) => sum + times, 0);
  return [
    name,
    tests.all,
    tests.carried,
    assertions.all,
    assertions.carried,
    count('changed'),
    count('lost'),
  ];
}

const HEAD = ['format', 'tests', 'carried over', 'expectations', 'carried over', 'changed', 'lost'];
const line = (cells) => `| ${cells.join(' | ')} |`;
try {
  const cases = JSON.parse(readFileSync(join(SAMPLES, 'cases.json'), 'utf8'));
  const rows = cases.map(measure);
  console.log([line(HEAD), line(HEAD.map(() => '---')), ...rows.map(line)].join('\n'));
} finally {
  rmSync(work, { recursive: true });
}
