import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../host/in-process.js';
import { checkSuiteFile } from '../check-suite.js';
import type { Context } from '../io.js';
import { LOCAL_OWNER, readConfig, withStore } from '../local.js';
import { plural } from '../render/units.js';
import { displayPath, suiteFiles } from '../suite-source.js';
import { broken, type Finding, ok, warning, wordsOf } from './finding.js';

const NODE_RANGE = '^20.19.0 || >=22.12.0';
const GIGABYTE = 1e9;
const READ_RUNS = 100;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const supported = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
  return supported
    ? ok('node', version)
    : broken('node', `${version} is not supported`, `Install Node ${NODE_RANGE}`);
}

export async function checkConfig(context: Context): Promise<{ findings: Finding[]; config?: Config }> {
  try {
    const config = await readConfig(context);
    if (config.file === undefined) {
      return {
        findings: [warning('config', 'no configuration file here', 'Make one with: touchstone init')],
        config,
      };
    }
    const inert = config.inert.map((member) =>
      warning('config', `"${member}" has no effect in this version`),
    );
    return { findings: [ok('config', displayPath(config.file, context.io.cwd)), ...inert], config };
  } catch (error) {
    return {
      findings: [broken('config', wordsOf(error), 'Correct the file, or name another with --config')],
    };
  }
}

export async function checkDisk({ io, settings }: Context): Promise<Finding> {
  let folder = resolve(io.cwd, settings.data);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${(free / GIGABYTE).toFixed(1)} GB free for ${settings.data}`;
  if (free > GIGABYTE) return ok('disk', detail);
  const hint = 'Free some space, or keep runs elsewhere with --data';
  return free > GIGABYTE / 10 ? warning('disk', detail, hint) : broken('disk', detail, hint);
}

/** Opens the store and reads from it. One that is not there yet is left to the first run. */
export async function checkStore(context: Context, config: Config): Promise<Finding> {
  if (config.store !== undefined && !config.store.startsWith('sqlite:')) {
    return broken(
      'store',
      'it is not one this version can open',
      'Use "sqlite:<file>", or leave "store" out',
    );
  }
  const file = config.store?.startsWith('sqlite:')
    ? resolve(config.baseDir, config.store.slice('sqlite:'.length))
    : join(resolve(context.io.cwd, context.settings.data), 'touchstone.db');
  const shown = displayPath(file, context.io.cwd);
  if (!existsSync(file)) return ok('store', `${shown} is made by the first run`);
  try {
    const runs = await withStore(context, async ({ touchstone: { store } }) => {
      const { items } = await store.runs.list(LOCAL_OWNER, { limit: READ_RUNS });
      for (const { runId } of items) await store.log.last(LOCAL_OWNER, runId);
      return items.length;
    });
    const many = runs === READ_RUNS ? `${plural(runs, 'run')} or more` : plural(runs, 'run');
    return ok('store', `${shown} opens and holds ${many}`);
  } catch (error) {
    const hint = 'Check its permissions, restore it from a copy, or use another folder with --data';
    return broken('store', `${shown} cannot be read: ${wordsOf(error)}`, hint);
  }
}

export async function checkSuites(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const folder of config.suites) {
    const files = await suiteFiles(folder, config.baseDir);
    if (!files)
      findings.push(broken('suites', `${folder} does not exist`, 'Correct "suites" in the configuration'));
    for (const file of files ?? []) findings.push(await checkSuite(file, config));
  }
  return findings;
}

async function checkSuite(file: string, config: Config): Promise<Finding> {
  const shown = displayPath(file, config.baseDir);
  try {
    const { head } = await checkSuiteFile(file, config.baseDir);
    return ok('suite', `${head.suiteId}@${head.version}, ${plural(head.taskCount, 'task')}`);
  } catch {
    return broken('suite', `${shown} is not valid`, `See what is wrong with: touchstone validate ${shown}`);
  }
}
