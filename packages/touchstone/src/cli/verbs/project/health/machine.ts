import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isHostError } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import { type Config, isOpenToOthers, soundParts } from '../../../../app/index.js';
import { checkSuiteFile } from '../../../files/check-suite.js';
import { displayPath } from '../../../files/local-files.js';
import { suiteFiles } from '../../../files/suite-source.js';
import type { Context } from '../../../io.js';
import { readConfig, storeFile } from '../../../local.js';
import { type Session, withSession } from '../../../session.js';
import { broken, type Finding, issueWords, ok, tried, warning, wordsOf } from './finding.js';

const NODE_RANGE = '^20.19.0 || >=22.12.0';
const GIGABYTE = 1e9;
const READ_RUNS = 100;
const CORRECT = 'Correct the file, or name another with --config';

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
    const none = warning('config', 'no configuration file here', 'Make one with: touchstone init');
    if (config.file === undefined) return { findings: [none], config };
    const shown = displayPath(config.file, context.io.cwd);
    const wrong = config.troubles.map((issue) => broken('config', issueWords(issue, shown), CORRECT));
    const findings = wrong.length > 0 ? wrong : [ok('config', shown)];
    return { findings, config: soundParts(config) };
  } catch (error) {
    return { findings: [broken('config', wordsOf(error), CORRECT)] };
  }
}

export async function checkDisk({ io, settings }: Context): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(resolve(io.cwd, settings.data)));
  const free = bavail * bsize;
  const detail = `${(free / GIGABYTE).toFixed(1)} GB free for ${settings.data}`;
  if (free > GIGABYTE) return ok('disk', detail);
  const hint = 'Free some space, or keep runs elsewhere with --data';
  return free > GIGABYTE / 10 ? warning('disk', detail, hint) : broken('disk', detail, hint);
}

/** Opens the store and reads from it. One that is not there yet is left to the first run. */
export async function checkStore(context: Context, config: Config): Promise<Finding> {
  const file = storeFile(context, config);
  if (file === undefined) return checkDatabase(context);
  const shown = displayPath(file, context.io.cwd);
  const hint = 'Check its permissions, restore it from a copy, or use another folder with --data';
  const opened = await tried('store', `${shown} cannot be used`, hint, async () => {
    if (!(await isThere(file))) return `${shown} is made by the first run`;
    return `${shown} is whole and holds ${await withSession(context, {}, 'asIs', readStore)}`;
  });
  if (opened.state !== 'ok' || !isOpenToOthers(file)) return opened;
  return warning('store', `${opened.detail}; other users of this machine may read it`, `chmod 600 ${shown}*`);
}

/** Makes no table: the database may be that of hosts of an earlier release, which go on. */
async function checkDatabase(context: Context): Promise<Finding> {
  try {
    return await withSession(context, {}, 'asIs', databaseFinding);
  } catch (error) {
    if (isHostError(error) && error.details?.reason === 'unprepared') return UNPREPARED;
    return broken('store', `the PostgreSQL database is not as it should be: ${wordsOf(error)}`, PUT_RIGHT);
  }
}

const PUT_RIGHT =
  'Put it right, or name another one with "store" in the configuration: docs/scaling-out.md#what-doctor-looks-for';
const UNPREPARED = warning(
  'store',
  'the PostgreSQL database can be reached; the tables are missing or of an earlier release; the first run makes them',
  'Make them now with: touchstone store prepare',
);

async function databaseFinding(session: Session): Promise<Finding> {
  const warnings = (await session.local?.touchstone.store.warnings()) ?? [];
  const sound = `the PostgreSQL database is sound and holds ${await readStore(session)}`;
  if (warnings.length === 0) return ok('store', sound);
  return warning('store', [sound, ...warnings].join('. '), 'See docs/scaling-out.md#behind-a-pooler');
}

/** Looks for damaged pages, reads the ends of some logs, and counts as the operator: the runs of every tenant. */
async function readStore({ client, local }: Session): Promise<string> {
  const troubles = (await local?.touchstone.store.check()) ?? [];
  if (troubles.length > 0) throw new Error(troubles.join(' '));
  const { items } = await client.runs.list({ limit: READ_RUNS });
  for (const { runId, touchstone } of items) {
    const last = (touchstone?.eventCount ?? 0) - 1;
    if (last > 0) await client.pollEvents(runId, { after: last - 1, timeoutSeconds: 1 });
  }
  const tenants = (await client.usage()).items;
  const runs = tenants.reduce((sum, one) => sum + one.runs, 0);
  const names = new Set(tenants.map(({ tenant }) => tenant));
  return plural(runs, 'run') + (names.size > 1 ? ` of ${plural(names.size, 'tenant')}` : '');
}

/** Whether the file is there. Throws where it could neither be read nor made. */
async function isThere(file: string): Promise<boolean> {
  const missing = await access(file).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || Promise.reject(error),
  );
  if (missing) await access(nearestFolder(dirname(file)), constants.W_OK | constants.X_OK);
  return !missing;
}

/** The folder itself, or what is there of the way to it. */
function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

export async function checkSuites(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const folder of config.suites) {
    const files = suiteFiles(folder, config.baseDir);
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
