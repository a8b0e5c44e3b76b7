// Goal: a command leaves compiled code for the next one, in the user's cache folder and nowhere else.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { runCli, temporaryFolder, writeProject } from './processes.js';

let project: string;
let cache: string;
let temporary: string;
beforeEach(() => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  project = join(folder.path, 'project');
  cache = join(folder.path, 'cache');
  temporary = join(folder.path, 'temporary');
  mkdirSync(project);
  mkdirSync(temporary);
  writeProject(project, 3);
});

const validate = (env: NodeJS.ProcessEnv) =>
  runCli(['validate', 'numbers.suite.json'], project, {
    XDG_CACHE_HOME: cache,
    NODE_COMPILE_CACHE: '',
    ...env,
  });

const keptFiles = (): readonly string[] =>
  existsSync(cache)
    ? readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cjs'))
    : [];

test('a command that is started again says the same, and other folders hold nothing new', async () => {
  const before = readdirSync(project);
  const first = await validate({});
  const files = keptFiles();
  expect(files).toContainEqual(expect.stringMatching(/^touchstone\/bundle-[^/]+\/validate\/cli\.cjs$/));
  expect(await validate({})).toEqual(first);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('✓') });
  expect(keptFiles()).toEqual(files);
  expect(readdirSync(project)).toEqual(before);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a command replaces what is no compiled code', async () => {
  const first = await validate({});
  const [file = ''] = keptFiles();
  writeFileSync(join(cache, file), 'rubbish');
  expect(await validate({})).toEqual(first);
  expect(readFileSync(join(cache, file), 'latin1')).not.toBe('rubbish');
});

test.each([
  [
    'Node is told to keep no compiled code',
    ['validate', 'numbers.suite.json'],
    { NODE_DISABLE_COMPILE_CACHE: '1' },
  ],
  ['a verb does not exist', ['valdiate', 'numbers.suite.json'], {}],
])('nothing is left behind where %s', async (_, args, env) => {
  await runCli(args, project, { XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: '', ...env });
  expect(keptFiles()).toEqual([]);
});
