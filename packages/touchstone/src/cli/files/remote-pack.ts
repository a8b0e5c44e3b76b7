import type { Client, InstalledPack } from '@touchstone/sdk';
import { type Context, writeLine } from '../io.js';
import type { RunOptions } from '../verbs/run/run-options.js';
import { tellContractsStay } from './contract-file.js';
import { definitionForm } from './definition-file.js';
import { findInstalledPack } from './installed-pack.js';
import {
  archiveOf,
  authorOptions,
  openPackBytes,
  type PackToRun,
  packToRun,
  readPackBytes,
} from './pack-files.js';
import { checkNoDefinition, everyPage, readPackArgument, sourcesOf } from './pack-source.js';
import { displayPath, openSuites, type SuiteSource } from './suite-source.js';

/** Sends a pack to a host. A folder is sent as the archive of it; whether it may be used is for that host to decide. */
export async function sendPack(
  context: Context,
  client: Client,
  path: string,
): Promise<{ readonly installed: InstalledPack; readonly pack: PackToRun }> {
  const options = await authorOptions(context);
  const archive = await archiveOf(await readPackBytes(path), options);
  const opened = await openPackBytes(archive, options);
  const { name, version, integrity } = opened;
  const installed = await client.packs.install(archive, { name, version, integrity });
  return { installed, pack: runThere(packToRun(opened, displayPath(path, context.io.cwd)), installed) };
}

/** Only that host knows what the profiles of a pack were compiled to; one that compiles none says nothing of suites. */
const runThere = (pack: PackToRun, { agents }: InstalledPack): PackToRun => ({
  ...pack,
  agents: pack.agents.map((agent) => {
    const suiteRef = agents.find(({ agentId }) => agentId === agent.agentId)?.suiteRef;
    return suiteRef === undefined ? agent : { ...agent, suiteRef };
  }),
});

/** What the argument of `run --host` stands for; a pack at hand is installed there first. */
export async function openRemoteSources(
  context: Context,
  client: Client,
  argument: string,
  options: RunOptions,
): Promise<readonly SuiteSource[]> {
  const { cwd } = context.io;
  const { agent } = options;
  const named = await readPackArgument(argument, cwd);
  if (!named && (await definitionForm(argument, cwd)) !== undefined)
    return (await import('./remote-profile.js')).openRemoteProfiles(context, client, argument, options);
  checkNoDefinition(argument, options);
  if (!named) {
    const suites = await openSuites(argument, cwd);
    tellContractsStay(context, suites);
    return suites;
  }
  if (named.kind === 'reference')
    return sourcesOf(context, await findInstalledPack(await installedPacks(client), named.reference), agent);
  const { installed, pack } = await sendPack(context, client, named.path);
  for (const warning of installed.warnings) writeLine(context.io.stderr, `note: ${warning}`);
  return sourcesOf(context, pack, agent);
}

const installedPacks = (client: Client): Promise<readonly PackToRun[]> =>
  everyPage((cursor) => client.packs.list(cursor === undefined ? {} : { cursor }));
