import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plural } from '@touchstone/sdk/view';
import {
  type Config,
  fillIn,
  fillInParts,
  type LocalTouchstone,
  needsVariables,
  readSafetyPolicy,
} from '../../../../app/index.js';
import { displayPath } from '../../../files/local-files.js';
import type { Context } from '../../../io.js';
import { withScratch } from '../../../local.js';
import { broken, type Finding, ok, tried, warning, wordsOf } from './finding.js';

const HINT = 'Install the server, or correct "mcpServers" in the configuration';

/** Starts every MCP server and asks which tools it has. None of the tools is called. */
export async function checkServers(context: Context, config: Config): Promise<Finding[]> {
  const names = Object.keys(config.mcpServers);
  if (names.length === 0) return [];
  try {
    return await withScratch(context, config, ['mcpServers'], async ({ touchstone, principal }) => {
      const troubles = new Map(
        (await touchstone.tools.serverIssues()).map(({ server, reason }) => [server, reason]),
      );
      const tools = await touchstone.tools.catalogue(principal.owner);
      return names.map((name) => {
        const trouble = troubles.get(name);
        if (trouble !== undefined) return broken('mcp', `${name}: ${trouble}`, HINT);
        const own = tools.filter(({ toolId }) => toolId.startsWith(`mcp:${name}.`));
        return ok('mcp', `${name}: ${plural(own.length, 'tool')}`);
      });
    });
  } catch (error) {
    return [broken('mcp', wordsOf(error), HINT)];
  }
}

/** Whether the file that says how grave findings are can be read and says it. */
export async function checkSafety(config: Config): Promise<Finding[]> {
  const name = config.safety?.policy;
  if (name === undefined) return [];
  const check = () => readSafetyPolicy(config).then(() => `${name} is a policy`);
  return [await tried('safety', name, 'Correct the file, or "safety.policy"', check)];
}

const CONNECT_TIMEOUT_MS = 3_000;

/** Whether each agent of the configuration could be invoked. None is: an agent may cost money or change things. */
export function checkAgents(context: Context, config: Config): Promise<Finding[]> {
  return withScratch(context, config, ['tools'], async ({ touchstone }) => {
    const findings = incompleteTools(context, config);
    for (const spec of config.agents) {
      const { agentId } = spec;
      const { value: run, unset } = fillIn(spec.run, context.io.env);
      const kind = String(run.kind);
      const check = async (): Promise<string> => {
        await touchstone.useAgent(spec, config.baseDir);
        if (unset.length > 0) throw new Error(needsVariables('It', unset));
        const detail = await probes[kind]?.(run, config.baseDir);
        return detail === undefined ? agentId : `${agentId}: ${detail}`;
      };
      const finding = await tried('agent', agentId, hints[kind], check);
      findings.push(
        finding,
        ...(finding.state === 'ok' ? await checkFiles(touchstone, spec, config.baseDir) : []),
      );
    }
    return findings;
  }).catch((error: unknown) => [broken('tools', wordsOf(error), 'Correct "tools" in the configuration')]);
}

/** Whether each scorer of the configuration could be asked. None is: a program may change things. */
export function checkScorers(context: Context, config: Config): Promise<Finding[]> {
  const names = Object.keys(config.scorers);
  if (names.length === 0) return Promise.resolve([]);
  return withScratch(context, config, ['scorers'], ({ touchstone }) =>
    Promise.all(
      names.map((name) =>
        tried('scorer', name, 'Correct its entry under "scorers", or its files', async () => {
          await touchstone.checkScorer(name);
          return name;
        }),
      ),
    ),
  ).catch((error: unknown) => [broken('scorer', wordsOf(error), 'Correct "scorers" in the configuration')]);
}

/** A tool is called only when an agent runs; that a variable is missing is known before. */
function incompleteTools({ io }: Context, config: Config): Finding[] {
  const { unset } = fillInParts(config, io.env);
  return [...unset.tools].map(([toolId, { variables }]) =>
    broken(
      'tool',
      needsVariables(toolId, variables),
      'Set the variable, or give it a default: ${NAME:-default}',
    ),
  );
}

/** Names what the digest of a program may not cover. Whoever lists "files", even none, has answered that. */
async function checkFiles(
  touchstone: LocalTouchstone,
  spec: Config['agents'][number],
  baseDir: string,
): Promise<readonly Finding[]> {
  const found = await touchstone.filesNotFollowed(spec, baseDir);
  if (!found) return [];
  const { program, files } = found;
  const facts = [
    ...(program === undefined ? [] : [`what ${program} uses is not followed`]),
    ...(files.length > 0 ? [`its sources name ${files.slice(0, MOST_NAMED).join(', ')}`] : []),
  ];
  const hint = 'List the files it uses in "files" of its entry, or [] when there are none';
  return [warning('agent', `${spec.agentId}: its digest may not cover all of it: ${facts.join('; ')}`, hint)];
}
const MOST_NAMED = 5;

type Probe = (run: { readonly [member: string]: unknown }, baseDir: string) => Promise<string>;

const probes: { readonly [kind: string]: Probe } = {
  async module(run, baseDir) {
    const path = resolve(baseDir, String(run.path));
    await access(path, constants.R_OK);
    // TypeScript needs the loader that only an invocation starts.
    if (['.ts', '.mts'].includes(extname(path))) return `${run.path} is readable`;
    const name = run.export === undefined ? 'default' : String(run.export);
    const loaded = (await import(pathToFileURL(path).href)) as { readonly [name: string]: unknown };
    if (typeof loaded[name] !== 'function') throw new Error(`${run.path} has no function called ${name}`);
    return `${run.path} loads`;
  },
  async command(run, baseDir) {
    const command = String(run.command);
    const folder = resolve(baseDir, String(run.cwd ?? '.'));
    const places =
      command.includes('/') || isAbsolute(command)
        ? [resolve(folder, command)]
        : searchPath().map((part) => join(part, command));
    await Promise.any(places.map((place) => access(place, constants.X_OK))).catch(() => {
      throw new Error(`command ${command} is not found or not executable`);
    });
    const scripts = listOf(run.args).filter((part) => SCRIPT.test(part));
    for (const script of scripts)
      await access(resolve(folder, script), constants.R_OK).catch(() => {
        throw new Error(`its script ${script} does not exist in ${displayPath(folder, baseDir) || '.'}`);
      });
    return [`command ${command}`, ...scripts]
      .join(', ')
      .concat(scripts.length > 0 ? ' are there' : ' is there');
  },
  async http(run) {
    const url = new URL(String(run.url));
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    await reach(url.hostname.replace(/^\[|\]$/g, ''), port);
    return `${url.host} accepts connections`;
  },
  async scripted(run, baseDir) {
    await access(resolve(baseDir, String(run.path)), constants.R_OK);
    return `${run.path} is readable`;
  },
};

/** What interpreters are given to run. Other arguments may name files that the command is going to make. */
const SCRIPT = /^[^-].*\.(?:[cm]?[jt]sx?|py|rb|sh|php|pl|lua|jar|R)$/;

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const hints: { readonly [kind: string]: string } = {
  module: 'Correct the module, or "run.path" in the configuration',
  command: 'Install the command, or correct "run" of the agent in the configuration',
  http: 'Start the agent, or correct "run.url" in the configuration',
  scripted: 'Correct "run.path" in the configuration',
};

const searchPath = (): string[] => (process.env.PATH ?? '').split(delimiter).filter((part) => part !== '');

function reach(host: string, port: number): Promise<void> {
  const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
  return new Promise<void>((done, fail) => {
    socket.once('connect', done);
    socket.once('timeout', () => fail(new Error(`${host}:${port} does not answer`)));
    socket.once('error', () => fail(new Error(`${host}:${port} refuses connections`)));
  }).finally(() => socket.destroy());
}
