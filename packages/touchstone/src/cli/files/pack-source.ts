import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HOST_OWNER } from '@touchstone/protocol';
import type { InstalledPack, LocalTouchstone } from '../../app/index.js';
import { type Context, writeLine } from '../io.js';
import { LOCAL_OWNER, type Local } from '../local.js';
import { UsageError } from '../usage-error.js';
import type { RunOptions } from '../verbs/run/run-options.js';
import { checkNoContract } from './contract-file.js';
import { contractFlag } from './contract-options.js';
import { definitionForm } from './definition-file.js';
import { findInstalledPack } from './installed-pack.js';
import { openPackBytes, type PackBytes, type PackToRun, readPackBytes } from './pack-files.js';
import { displayPath, openSuites, SUITE_REFERENCE, type SuiteSource } from './suite-source.js';

export type PackArgument =
  | { readonly kind: 'place'; readonly path: string }
  | { readonly kind: 'reference'; readonly reference: string };

const PACK_REFERENCE = /^(?:core|vendor|community|private)(?:\.[a-z][\w-]*){2,}(?:@\d\S*)?$/;
const ARCHIVE_NAME = /\.(?:tgz|tar\.gz)$/i;

/** What the argument of `run` means as a pack; undefined when it means a suite. */
export async function readPackArgument(argument: string, cwd: string): Promise<PackArgument | undefined> {
  const { looksLikePack } = await import('../../packs/index.js');
  const path = resolve(cwd, argument);
  if (looksLikePack(path)) return { kind: 'place', path };
  if (existsSync(path)) return undefined;
  if (ARCHIVE_NAME.test(argument))
    throw new UsageError(
      `There is no archive ${argument}.`,
      'Make one with: touchstone pack build <folder of the pack>',
    );
  const isName = PACK_REFERENCE.test(argument) && !SUITE_REFERENCE.test(argument);
  return isName ? { kind: 'reference', reference: argument } : undefined;
}

/** The suites that an argument stands for. A pack at hand is installed as it is now, edited or not. */
export async function openSources(
  context: Context,
  local: Local,
  argument: string,
  options: RunOptions,
): Promise<readonly SuiteSource[]> {
  const { cwd } = context.io;
  const named = await readPackArgument(argument, cwd);
  if (!named && (await definitionForm(argument, cwd)) !== undefined)
    return (await import('./profile-source.js')).openProfiles(context, local, argument, options);
  checkNoDefinition(argument, options);
  if (!named) return openSuites(argument, cwd, options.contract);
  checkNoContract(argument, options.contract);
  const path = named.kind === 'place' ? named.path : await configuredPath(local, named.reference);
  const pack =
    path === undefined
      ? await findInstalledPack(
          await installedPacks(local),
          (named as { readonly reference: string }).reference,
        )
      : await usePackAt(context, local, path);
  return sourcesOf(context, pack, options.agent);
}

/** An option that would be heard by nobody is a mistake. */
export function checkNoDefinition(argument: string, options: RunOptions): void {
  const flag = contractFlag(options);
  if (flag !== undefined)
    throw new UsageError(
      `${flag} is about an agent definition, and ${argument} is none.`,
      `Leave ${flag} out.`,
    );
}

async function usePackAt({ io }: Context, { touchstone, config }: Local, path: string): Promise<PackToRun> {
  const { packOptions, trustOf } = await import('../../app/index.js');
  const bytes = await readPackBytes(path);
  const opened = await openPackBytes(bytes, packOptions(config));
  const installed = await usePack(touchstone, bytes);
  // Where everything is trusted, nobody needs to hear at every run that a pack in the making is not signed.
  const { warnings } = trustOf(config, 'cli').policy === 'open' ? opened : installed;
  for (const warning of warnings) writeLine(io.stderr, `note: ${warning}`);
  const { name, version, agents } = installed.head;
  return { name, version, agents, path: displayPath(path, io.cwd) };
}

/**
 * Installs a pack as it is now. One that the configuration brings in the same state is left where it is: a copy of it
 * here would go before it, and would stay behind when its files are edited.
 */
export async function usePack(touchstone: LocalTouchstone, bytes: PackBytes): Promise<InstalledPack> {
  const pack = await touchstone.inspectPack(bytes);
  return (await isHere(touchstone, pack)) ? pack : touchstone.usePack(LOCAL_OWNER, bytes);
}

async function isHere(
  touchstone: LocalTouchstone,
  { head, agents, suites }: InstalledPack,
): Promise<boolean> {
  const { packs } = touchstone.store;
  const own = await packs.get(LOCAL_OWNER, head.name, head.version);
  const known = own ?? (await packs.get(HOST_OWNER, head.name, head.version));
  if (known?.digest !== head.digest) return false;
  const agentsHere = await Promise.all(
    agents.map(async ({ agentId, version, digest }) => {
      const found = await touchstone.findAgent(LOCAL_OWNER, `${agentId}@${version}`);
      return found?.facts.digest === digest;
    }),
  );
  const suitesHere = await Promise.all(
    suites.map(async ({ head: { suiteId, version, digest } }) => {
      const found = await touchstone.findSuite(LOCAL_OWNER, `${suiteId}@${version}`);
      return found?.head.digest === digest;
    }),
  );
  return [...agentsHere, ...suitesHere].every(Boolean);
}

/** Where a pack of the configured folders lies. Only there is known which suite belongs to which agent. */
async function configuredPath({ config }: Local, reference: string): Promise<string | undefined> {
  const [{ findPacks }, { highestVersion }, { packOptions }] = await Promise.all([
    import('../../packs/index.js'),
    import('../../suites/index.js'),
    import('../../app/index.js'),
  ]);
  const [name, wanted] = reference.split('@');
  const found = [];
  for (const path of config.packs.flatMap((folder) => findPacks(resolve(config.baseDir, folder)))) {
    const pack = await openPackBytes(await readPackBytes(path), packOptions(config));
    if (pack.name === name && (wanted ?? pack.version) === pack.version) found.push({ path, pack });
  }
  const newest = highestVersion(found.map(({ pack }) => pack.version));
  return found.find(({ pack }) => pack.version === newest)?.path;
}

const PAGE = 200;

const installedPacks = ({ touchstone }: Local): Promise<readonly PackToRun[]> =>
  everyPage((cursor) => touchstone.listPacks(LOCAL_OWNER, PAGE, cursor));

export async function everyPage<T>(
  read: (cursor?: string) => Promise<{ readonly items: readonly T[]; readonly nextCursor?: string }>,
): Promise<readonly T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    items.push(...page.items);
    if (page.nextCursor === undefined) return items;
    cursor = page.nextCursor;
  }
}

/** The agents of a pack that can be run, or the one that was asked for. */
export function sourcesOf(
  { io }: Context,
  pack: PackToRun,
  agent: string | undefined,
): readonly SuiteSource[] {
  const chosen = pack.agents.filter(({ agentId }) => agent === undefined || isCalled(agentId, pack, agent));
  if (chosen.length === 0) throw onChannel(pack, agent ?? '') ?? notOfPack(pack, agent ?? '');
  const sources = chosen.flatMap(({ agentId, suiteRef }) =>
    suiteRef === undefined ? [] : [sourceOf(pack, agentId, suiteRef)],
  );
  const without = chosen.filter(({ suiteRef }) => suiteRef === undefined).map(({ agentId }) => agentId);
  if (sources.length === 0) throw noSuite(pack, without);
  for (const agentId of without) writeLine(io.stderr, `note: ${agentId} brings no suite and is not run.`);
  return sources;
}

const sourceOf = (pack: PackToRun, agentId: string, suiteRef: string): SuiteSource => ({
  kind: 'packed',
  suiteRef,
  agent: `${agentId}@${pack.version}`,
  ...(pack.path !== undefined && { path: pack.path }),
});

const isCalled = (agentId: string, { version }: PackToRun, agent: string): boolean =>
  agent === agentId || agent === `${agentId}@${version}`;

const nameOf = ({ name, version }: PackToRun): string => `${name}@${version}`;

/** A pack is run with the agents it brings, and a channel may lead to those of another version. */
function onChannel(pack: PackToRun, agent: string): UsageError | undefined {
  const [name, selector = ''] = agent.split('@');
  const brought = pack.agents.find(({ agentId }) => agentId === name);
  if (!brought || !/^[a-z]/.test(selector)) return undefined;
  return new UsageError(
    `${nameOf(pack)} is run with the agents it brings, and ${agent} is whichever version serves.`,
    brought.suiteRef === undefined
      ? `Name a suite instead: touchstone run <suite> --agent ${agent}`
      : `Name its suite instead: touchstone run ${brought.suiteRef} --agent ${agent}`,
  );
}

const notOfPack = (pack: PackToRun, agent: string): UsageError =>
  new UsageError(
    `${nameOf(pack)} has no agent ${agent}.`,
    `Its agents: ${pack.agents.map(({ agentId }) => agentId).join(', ')}. Another one can run a suite of it by the suite's name.`,
  );

const noSuite = (pack: PackToRun, agentIds: readonly string[]): UsageError =>
  new UsageError(
    `${nameOf(pack)} brings no suite${agentIds.length === 1 ? ` for ${agentIds[0]}` : ''}, so there is nothing to run.`,
    `Name one in its pack.json as "evalSuiteRef", or run one of your own: touchstone run <suite file> --agent ${agentIds[0] ?? `${pack.name}.default`}`,
  );
