// Installs the released archive into a folder of the runner. Nothing of Touchstone is checked out or built.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { archiveOf, folders } from './arguments.mjs';

const { env } = process;

/** The runner has the whole repository of the action at hand, so the action knows which release it belongs to. */
const ownVersion = () =>
  JSON.parse(readFileSync(new URL('../packages/touchstone/package.json', import.meta.url), 'utf8')).version;

const archive = archiveOf({
  version: env.INPUT_VERSION || ownVersion(),
  server: env.GITHUB_SERVER_URL ?? 'https://github.com',
  repository: env.ACTION_REPOSITORY ?? '',
});
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folders(env).program];
const { status, error } = spawnSync('npm', ['install', ...flags, archive], { stdio: 'inherit' });
if (error)
  console.error(`npm could not be started: ${error.message}. Node 20.19 or later has to be on the path.`);
process.exitCode = status ?? 3;
