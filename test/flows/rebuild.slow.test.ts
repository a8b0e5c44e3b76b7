// Goal: building in a checkout does not break a host that runs from it. Method: a copy of the built package with a host
// started from it; then the copy changes and is bundled again, and the host has to load what it has not loaded yet.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { KEY, kill, runCli, serve, temporaryFolder, writeProject } from './processes.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function copyPackage(folder: string): string {
  const copy = join(folder, 'touchstone');
  for (const part of ['dist', 'bin', 'assets', 'package.json'])
    cpSync(join(ROOT, 'packages/touchstone', part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return copy;
}

test('a host goes on after its checkout was built again', async ({ onTestFinished }) => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const copy = copyPackage(folder.path);
  const project = join(folder.path, 'project');
  mkdirSync(project);
  writeProject(project, 3);
  const program = join(copy, 'bin/touchstone.js');
  const host = await serve(['--data', 'served'], project, {}, program);
  onTestFinished(() => kill(host).then(() => undefined));

  const version = join(copy, 'dist/cli/version.js');
  writeFileSync(version, readFileSync(version, 'utf8').replace('manifest.version', "'9.9.9'"));
  await run(process.execPath, [join(ROOT, 'scripts/bundle.mjs'), join(copy, 'dist')]);
  expect((await run(process.execPath, [program, '--version'])).stdout).toBe('9.9.9\n');

  const there = ['--host', host.url, '--key-env', 'THE_KEY'];
  const { code, stdout } = await runCli(
    ['run', 'local.test.evals.numbers', '--agent', 'local.test.numbers', ...there, '--json'],
    project,
    { THE_KEY: KEY },
  );
  expect({ code, out: JSON.parse(stdout) }).toMatchObject({ code: 0, out: { status: 'completed' } });
});
