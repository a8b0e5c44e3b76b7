import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { asId, defined, type Version } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { packOptions, readPackFiles, trustOf } from '../../app/index.js';
import { findPacks, looksLikePack } from '../../packs/index.js';
import { highestVersion } from '../../suites/index.js';
import { type Context, UsageError, writeLine } from '../io.js';
import type { Local } from '../local.js';
import type { Session } from '../session.js';
import { didYouMean } from '../suggest.js';
import { contractFlag, type RunOptions } from '../verbs/run/run-options.js';
import { definitionForm } from './definition-file.js';
import { displayPath } from './local-files.js';
import { authorOptions, openPackAt, openPackBytes, sendPack } from './pack-files.js';
import {
  checkNoContract,
  openSuites,
  SUITE_REFERENCE,
  type SuiteSource,
  tellContractsStay,
} from './suite-source.js';

/** What a pack brings to a run: its agents, and the suite of each that has one. */
type PackToRun = {
  readonly name: string;
  readonly version: string;
  readonly agents: readonly { readonly agentId: string; readonly suiteRef?: string }[];
  /** Where its files are, when they are at hand. */
  readonly path?: string;
  /** Whether the host refuses to run it. */
  readonly revoked?: boolean;
};

/** The installed pack of a reference `name` or `name@version`; a bare name means its highest version that may be run. */
function findInstalledPack(packs: readonly PackToRun[], reference: string): PackToRun {
  const [name, wanted] = reference.split('@', 2);
  const named = packs.filter((pack) => pack.name === name);
  const runnable = named.filter(({ revoked }) => revoked !== true);
  const choice = runnable.length > 0 ? runnable : named;
  const version = wanted ?? highestVersion(choice.map((pack) => asId<Version>(pack.version)));
  const found = named.find((pack) => pack.version === version);
  if (found) return { name: found.name, version: found.version, agents: found.agents };
  const known = packs.map((pack) => (wanted === undefined ? pack.name : nameOf(pack)));
  throw new UsageError(
    `No pack ${reference} is installed.`,
    didYouMean(reference, known, 'Installed') ?? 'Install it with: touchstone pack install <archive>',
  );
}

type PackArgument =
  | { readonly kind: 'place'; readonly path: string }
  | { readonly kind: 'reference'; readonly reference: string };

const PACK_REFERENCE = /^(?:core|vendor|community|private)(?:\.[a-z][\w-]*){2,}(?:@\d\S*)?$/;
const ARCHIVE_NAME = /\.(?:tgz|tar\.gz)$/i;

/** What the argument of `run` means as a pack; undefined when it means a suite. */
export async function readPackArgument(argument: string, cwd: string): Promise<PackArgument | undefined> {
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

/** The suites that an argument stands for. A pack at hand is installed first, in this process as it is now. */
export async function openSources(
  context: Context,
  session: Session,
  argument: string,
  options: RunOptions,
): Promise<readonly SuiteSource[]> {
  const { cwd } = context.io;
  const { client, local } = session;
  const named = await readPackArgument(argument, cwd);
  if (!named && definitionForm(argument, cwd) !== undefined)
    return (await import('./profile-source.js')).openProfiles(context, session, argument, options);
  const flag = contractFlag(options);
  if (flag !== undefined)
    throw new UsageError(
      `${flag} is about an agent definition, and ${argument} is none.`,
      `Leave ${flag} out.`,
    );
  const registered = named
    ? undefined
    : await (await import('./registry-source.js')).openRegistered(context, session, argument, options);
  if (registered) return [registered];
  if (!named) {
    const suites = openSuites(argument, cwd, options.contract);
    if (!local) tellContractsStay(context, suites);
    return suites;
  }
  checkNoContract(argument, options.contract);
  const path = named.kind === 'place' ? named.path : local && (await configuredPath(local, named.reference));
  if (path === undefined) {
    const { reference } = named as Extract<PackArgument, { kind: 'reference' }>;
    return sourcesOf(context, findInstalledPack(await installedPacks(client), reference), options.agent);
  }
  const pack = local ? await usePackAt(context, local, path) : await usePackThere(context, client, path);
  return sourcesOf(context, pack, options.agent);
}

async function usePackAt(
  { io }: Context,
  { touchstone, config, principal }: Local,
  path: string,
): Promise<PackToRun> {
  const bytes = await readPackFiles(path);
  const opened = await openPackBytes(bytes, packOptions(config));
  const installed = await touchstone.usePack(principal.owner, bytes);
  // Where everything is trusted, a person need not be told at every run that a pack in the making is not signed.
  const { warnings } = trustOf(config, 'cli').policy === 'open' ? opened : installed;
  for (const warning of warnings) writeLine(io.stderr, `note: ${warning}`);
  const { name, version, agents } = installed.head;
  return { name, version, agents, path: displayPath(path, io.cwd) };
}

async function usePackThere(context: Context, client: Client, path: string): Promise<PackToRun> {
  const { io } = context;
  const { pack, installed } = await sendPack(client, path, await authorOptions(context));
  for (const warning of installed.warnings) writeLine(io.stderr, `note: ${warning}`);
  // Only that host knows what the profiles of a pack were compiled to; one that compiles none says nothing of suites.
  const agents = pack.agents.map(({ manifest: { agentId }, suite }) => {
    const there = installed.agents.find((agent) => agent.agentId === agentId)?.suiteRef;
    return { agentId, ...defined({ suiteRef: there ?? (suite && `${suite.suiteId}@${suite.version}`) }) };
  });
  return { name: pack.name, version: pack.version, agents, path: displayPath(path, io.cwd) };
}

/** Where a pack of the configured folders lies. Only there is known which suite belongs to which agent. */
async function configuredPath({ config }: Local, reference: string): Promise<string | undefined> {
  if (config.packs.length === 0) return undefined;
  const [name, wanted] = reference.split('@');
  const found = [];
  for (const path of config.packs.flatMap((folder) => findPacks(resolve(config.baseDir, folder)))) {
    const pack = await openPackAt(path, packOptions(config));
    if (pack.name === name && (wanted ?? pack.version) === pack.version) found.push({ path, pack });
  }
  const newest = highestVersion(found.map(({ pack }) => pack.version));
  return found.find(({ pack }) => pack.version === newest)?.path;
}

const PAGE = 200;

async function installedPacks(client: Client): Promise<readonly PackToRun[]> {
  const packs: PackToRun[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.packs.list({ limit: PAGE, ...defined({ cursor }) });
    packs.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return packs;
  }
}

/** The agents of a pack that can be run, or the one that was asked for. */
function sourcesOf({ io }: Context, pack: PackToRun, agent: string | undefined): readonly SuiteSource[] {
  const chosen = pack.agents.filter(({ agentId }) => agent === undefined || isCalled(agentId, pack, agent));
  if (chosen.length === 0) throw onChannel(pack, agent ?? '') ?? notOfPack(pack, agent ?? '');
  const sources = chosen.flatMap(({ agentId, suiteRef }): SuiteSource[] => {
    const agent = `${agentId}@${pack.version}`;
    return suiteRef === undefined
      ? []
      : [{ kind: 'packed', suiteRef, agent, ...defined({ path: pack.path }) }];
  });
  const without = chosen.filter(({ suiteRef }) => suiteRef === undefined).map(({ agentId }) => agentId);
  if (sources.length === 0) throw noSuite(pack, without);
  for (const agentId of without) writeLine(io.stderr, `note: ${agentId} brings no suite and is not run.`);
  return sources;
}

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
