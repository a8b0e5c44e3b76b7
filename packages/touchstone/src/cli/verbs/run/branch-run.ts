import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Issue, isHostError, type RunId, validationError } from '@touchstone/protocol';
import { type EvalRunSnapshot, HostResponseError } from '@touchstone/sdk';
import type { DefinitionAgent } from '../../../profiles/index.js';
import { localDataset, openDefinition } from '../../files/definition-file.js';
import { displayPath, hashOf } from '../../files/local-files.js';
import { type Context, UsageError } from '../../io.js';
import type { Local } from '../../local.js';
import { originOf } from '../../origin.js';
import { shell } from '../../render/shell.js';
import { commandToType, type Session } from '../../session.js';
import { bringsItsModel, chooseAgent, readAgentArgument } from './agent-choice.js';
import { withPrompt } from './prompt-choice.js';
import type { RunDriver } from './run-driver.js';
import { configurableOf, type RunOptions } from './run-options.js';
import { sideOf } from './start-run.js';

/** What a run of a definition has to do with files, as they are now. */
type DefinedRun = {
  /** What has changed since the run began, in words; undefined when nothing has. */
  readonly changed?: string;
  /** The agent as it is defined now; absent when it is gone. */
  readonly agent?: DefinitionAgent;
};

/** Looks at the files of a run of a definition. What was fetched from elsewhere is not looked at: the run has its rows. */
export async function lookAtDefinition(
  { touchstone, principal }: Local,
  run: EvalRunSnapshot,
  file: string,
  cwd: string,
): Promise<DefinedRun> {
  if (!existsSync(resolve(cwd, file))) return {};
  const { contract: digest } = run.touchstone;
  const pinned = digest && (await touchstone.pinnedContract(principal.owner, digest));
  const { path, loaded } = await openDefinition(file, cwd);
  const agent = loaded.agents.find(({ id }) => id === originOf(run).of);
  if (!agent || !pinned || pinned.contract.agent.sha256 !== agent.sha256)
    return { changed: `the definition ${file}`, ...(agent && { agent }) };
  const dataset = await localDataset(agent, path);
  const isOther =
    dataset !== undefined &&
    existsSync(dataset.path) &&
    (await hashOf(dataset.path)) !== pinned.contract.dataset?.sha256;
  return { agent, ...(isOther && { changed: `the dataset ${displayPath(dataset.path, cwd)}` }) };
}

/** An agent that only its definition knows is known again once the definition is read. */
export async function useDefinedAgent(
  local: Local,
  runId: RunId,
  file: string,
  agent: DefinitionAgent | undefined,
): Promise<void> {
  if (agent) await local.touchstone.useDefinition(agent);
  else
    throw new UsageError(
      `Run ${runId} cannot be continued: its agent is defined in ${file}, and is gone from there.`,
      'Put the file back, or start a new run.',
    );
}

/** Creates a run that leaves another one at an event; in this process nothing is driven yet. */
export async function createBranch(
  context: Context,
  session: Session,
  driver: RunDriver,
  source: EvalRunSnapshot,
  fromSeq: number,
  options: RunOptions,
): Promise<RunId> {
  const { agent, model } = source.touchstone;
  if (options.model !== undefined && model === undefined) throw bringsItsModel(agent.agentId);
  if (session.local) await registerAgent(session, session.local, source, context.io.cwd);
  const configurable = configurableOf(options);
  const overlay = Object.keys(configurable).length > 0 ? { runOptionsOverlay: { configurable } } : {};
  try {
    return await driver.fork(source.runId, { mode: 'branch', fromSeq, ...overlay });
  } catch (error) {
    throw inWordsOfTheCommand(context, session, source, error);
  }
}

/** An agent that was named by its file or its URL is known only to the command that names it. */
async function registerAgent(
  session: Session,
  local: Local,
  source: EvalRunSnapshot,
  cwd: string,
): Promise<void> {
  const { touchstone, principal } = local;
  const { agent, definition, prompt } = originOf(source);
  if (prompt !== undefined) {
    const { agentId, version } = source.touchstone.agent;
    await withPrompt(local, await chooseAgent(session, `${agentId}@${version}`, {}, cwd), prompt, cwd);
    return;
  }
  if (agent === undefined && definition !== undefined) {
    const { agent: defined } = await lookAtDefinition(local, source, definition, cwd);
    await useDefinedAgent(local, source.runId, definition, defined);
  }
  // A run is pinned to a version, so a name needs nothing: the channel in it may even lead nowhere by now.
  if (agent === undefined || readAgentArgument(agent, cwd).kind === 'reference') return;
  const suite = await touchstone.pinnedSuite(principal.owner, source.touchstone.suite.digest);
  await chooseAgent(session, agent, suite ? sideOf(suite.head, suite) : {}, cwd);
}

const OVERLAY = '/runOptionsOverlay';

/** The host speaks of members of a request; the person at the terminal knows flags. */
function inWordsOfTheCommand(
  context: Context,
  { where }: Session,
  { runId }: EvalRunSnapshot,
  error: unknown,
): unknown {
  if (!isHostError(error) && !(error instanceof HostResponseError)) return error;
  const toType = (words: string): string => commandToType(context, words, where);
  const { code, message, details = {} } = error;
  if (code === 'conflict')
    return new UsageError(message, 'Undo the change, or start a new run with: touchstone run', 'conflict');
  if (code === 'fork_point_invalid') {
    const words =
      typeof details.blockStart === 'number'
        ? `Type: ${toType(shell`replay ${runId} --branch --from ${details.blockStart}`)}`
        : `See the events with: ${toType(shell`show ${runId} --events`)}`;
    return new UsageError(message, words);
  }
  const issues = details.issues as readonly Issue[] | undefined;
  if (!issues?.some(({ pointer }) => pointer.startsWith(OVERLAY))) return error;
  return validationError(issues.map((issue) => ({ ...issue, pointer: issue.pointer.replace(OVERLAY, '') })));
}
