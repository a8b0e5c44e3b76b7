import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { asId, type ChannelName } from '@touchstone/protocol';
import { type Client, HostResponseError } from '@touchstone/sdk';
import type { Config } from '../../../app/index.js';
import type { AgentFacts } from '../../../ports/index.js';
import { UsageError } from '../../io.js';
import { absent } from '../../run-lookup.js';
import type { Session } from '../../session.js';
import { didYouMean } from '../../suggest.js';

const FILE_KINDS: { readonly [extension: string]: 'module' | 'python' } = {
  '.js': 'module',
  '.mjs': 'module',
  '.cjs': 'module',
  '.ts': 'module',
  '.mts': 'module',
  '.py': 'python',
};

type AgentArgument = AgentAddress | { readonly kind: 'reference'; readonly reference: string };
/** Where an agent is that may be in no configuration. */
type AgentAddress =
  | { readonly kind: 'module' | 'python'; readonly path: string; readonly export?: string }
  | { readonly kind: 'url'; readonly url: string };

export function readAgentArgument(argument: string, cwd: string): AgentArgument {
  if (/^https?:\/\//i.test(argument)) return { kind: 'url', url: argument };
  const [, file = argument, name] = exportIn(argument) ?? [];
  const kind = FILE_KINDS[extname(file)];
  if (kind === undefined) return { kind: 'reference', reference: argument };
  const path = resolve(cwd, file);
  if (existsSync(path)) return { kind, path, ...(name !== undefined && { export: name }) };
  if (isAgentId(argument)) return { kind: 'reference', reference: argument };
  throw new UsageError(
    `There is no agent module at ${file}.`,
    'Give a module file, a URL, or the id of an agent of the configuration or of an installed pack.',
  );
}

/** All letters there are take some milliseconds to compile, so most arguments are not looked at with them. */
const exportIn = (argument: string) =>
  argument.includes(':') ? /^(.*\.\w+):([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(argument) : null;

/** The last part of an id may look like the end of a file's name: `local.acme.node.js`. */
const isAgentId = (text: string): boolean =>
  /^(core|vendor|community|private|local)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$/.test(text);

/** The channel that an argument asks for; versions begin with a digit. */
export function channelIn(argument: string | undefined, cwd: string): ChannelName | undefined {
  const wanted = argument === undefined ? undefined : readAgentArgument(argument, cwd);
  const selector = wanted?.kind === 'reference' ? wanted.reference.split('@')[1] : undefined;
  return selector === undefined || /^\d/.test(selector) ? undefined : asId<ChannelName>(selector);
}

/** What a suite says about the agent it is for. */
export type SuiteSide = {
  readonly targetAgentId?: string;
  /** The tools that its tasks have canned answers for. */
  readonly cannedTools?: () => Iterable<string>;
};

/** The agent that a run is for. */
export type ChosenAgent = {
  readonly agentId: string;
  /** As a request names it. In this process it is pinned to a version; another host follows its channels by itself. */
  readonly ref: string;
  /** Of an agent in this process. */
  readonly facts?: AgentFacts;
};

/** The agent a run is for: the one named, else the one the suite is made for, else the only one there is. */
export async function chooseAgent(
  session: Session,
  argument: string | undefined,
  suite: SuiteSide,
  cwd: string,
): Promise<ChosenAgent> {
  const { client, local } = session;
  if (argument === undefined) return namedAgent(session, await defaultAgent(client, suite.targetAgentId));
  const wanted = readAgentArgument(argument, cwd);
  if (wanted.kind === 'reference') return namedAgent(session, wanted.reference);
  if (!local) throw notThere();
  const configured = sameAgent(local.config, wanted);
  if (configured !== undefined) return namedAgent(session, configured);
  return pinned(
    await local.touchstone.useAgent(adHocSpec(wanted, local.config, suite.cannedTools?.() ?? []), cwd),
  );
}

export const pinned = (facts: AgentFacts): ChosenAgent => ({
  agentId: facts.agentId,
  ref: `${facts.agentId}@${facts.version}`,
  facts,
});

const notThere = (): UsageError =>
  new UsageError(
    'A module or URL cannot be run on another host.',
    'Name an agent of that host with --agent.',
  );

/** The id of the agent that an argument names, before it is known what the agent is to be asked. */
export async function agentIdOf(session: Session, argument: string, cwd: string): Promise<string> {
  const { local } = session;
  const wanted = readAgentArgument(argument, cwd);
  if (wanted.kind === 'reference') return (await namedAgent(session, wanted.reference)).agentId;
  if (!local) throw notThere();
  const configured = sameAgent(local.config, wanted);
  return configured === undefined ? adHocId(wanted) : (await namedAgent(session, configured)).agentId;
}

async function defaultAgent(client: Client, targetAgentId: string | undefined): Promise<string> {
  if (targetAgentId && (await client.agents.get(targetAgentId).catch(absent))) return targetAgentId;
  const ids = await agentIds(client);
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return only;
  throw new UsageError(
    'Which agent? Name it with --agent.',
    ids.length > 0
      ? `Known here: ${ids.join(', ')}`
      : 'No agent is configured, and no pack is installed. Give a module file or a URL, e.g. --agent ./agent.mjs',
  );
}

async function namedAgent({ client, local }: Session, reference: string): Promise<ChosenAgent> {
  const here = await local?.touchstone.agents.find(local.principal.owner, reference);
  const found = local ? here && pinned(here.facts) : await agentThere(client, reference);
  if (found) return found;
  throw new UsageError(
    `There is no agent ${reference} in the configuration or in an installed pack.`,
    didYouMean(reference, await agentIds(client), 'Known here') ??
      'Agents of a pack are known once it is installed: touchstone pack install <archive>',
  );
}

/** A host of another kind may keep no inventory; it says itself whether it knows the agent. */
async function agentThere(client: Client, reference: string): Promise<ChosenAgent | undefined> {
  const [agentId = ''] = reference.split('@');
  const known = { agentId, ref: reference };
  return client.agents.get(reference).then(
    () => known,
    (error) => (error instanceof HostResponseError && error.status === 501 ? known : absent(error)),
  );
}

/** Kinds of agent whose model is asked by this host, and can be chosen here. */
const ASKED_HERE: readonly AgentFacts['kind'][] = ['manifest', 'openai'];

/** Another host says itself that it does not ask the agent's model. */
export function checkModel(
  { agentId, facts }: ChosenAgent,
  { model, param }: { readonly model?: string; readonly param?: readonly string[] },
): void {
  if ((model === undefined && param === undefined) || !facts) return;
  if (ASKED_HERE.includes((facts.wraps ?? facts).kind)) return;
  throw bringsItsModel(agentId, facts.kind, model === undefined ? '--param' : '--model');
}

export const bringsItsModel = (
  agentId: string,
  kind?: AgentFacts['kind'],
  flag: '--model' | '--param' = '--model',
): UsageError =>
  new UsageError(
    `Agent ${agentId}${kind ? ` is of kind ${kind} and` : ''} brings its own model, so ${flag} would change nothing.`,
    `Leave ${flag} out. It is for agents of kind ${ASKED_HERE.join(' and ')}, whose model is asked from here.`,
  );

const agentIds = async (client: Client): Promise<string[]> =>
  (await client.agents.list()).agents.map(({ agentId }) => agentId);

/** Whether others than this command can ask it: a name is looked up among what is kept. */
export const isConfigured = (config: Config, wanted: AgentArgument): boolean =>
  wanted.kind === 'reference' || sameAgent(config, wanted) !== undefined;

/** A file or URL that the configuration already describes means that agent, with its tools and schemas. */
function sameAgent(config: Config, wanted: AgentAddress): string | undefined {
  const match = config.agents.find(({ run }) =>
    wanted.kind === 'url'
      ? run.kind === 'http' && run.url === wanted.url
      : run.kind === wanted.kind &&
        typeof run.path === 'string' &&
        (wanted.export === undefined || wanted.export === run.export) &&
        resolve(config.baseDir, run.path) === wanted.path,
  );
  return match && (typeof match.version === 'string' ? `${match.agentId}@${match.version}` : match.agentId);
}

/** The configured tools, and those that tasks have canned answers for. */
export const toolsFor = (config: Config, canned: Iterable<string>): readonly string[] =>
  [...new Set([...config.tools.map(({ toolId }) => toolId), ...canned])].sort();

/**
 * An agent that is in no configuration declares no tools, so it is offered the configured ones and those its suite has
 * canned answers for. An agent of the configuration never gets a tool from a fixture.
 */
function adHocSpec(wanted: AgentAddress, config: Config, canned: Iterable<string>): object {
  const tools = toolsFor(config, canned);
  const run = wanted.kind === 'url' ? { kind: 'http', url: wanted.url } : wanted;
  const offered = tools.length > 0 ? { toolAllowlist: tools } : {};
  return { agentId: adHocId(wanted), version: '0.0.0', ...offered, run };
}

const adHocId = (wanted: AgentAddress): string => `local.cli.${slugOf(wanted)}`;

/** A readable name; a URL gets a few digits of its hash, because two paths of one host are two agents. */
export function slugOf(wanted: AgentAddress): string {
  const text = wanted.kind === 'url' ? new URL(wanted.url).host : basename(wanted.path, extname(wanted.path));
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  const suffix =
    wanted.kind === 'url' ? `-${createHash('sha256').update(wanted.url).digest('hex').slice(0, 6)}` : '';
  return `${plain || 'agent'}${suffix}`;
}
