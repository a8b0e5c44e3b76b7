import { type Issue, isHostError, type RunId, validationError } from '@touchstone/protocol';
import { type EvalRunSnapshot, HostResponseError } from '@touchstone/sdk';
import { commandToType, whereFlags } from '../../command-line.js';
import { UsageError } from '../../exit.js';
import type { Context } from '../../io.js';
import type { Local } from '../../local.js';
import { originOf } from '../../origin.js';
import type { Session } from '../../session.js';
import { bringsItsModel, chooseAgent, readAgentArgument } from './agent-choice.js';
import { lookAtDefinition, useDefinedAgent } from './defined-agent.js';
import type { RunDriver } from './run-driver.js';
import { configurableOf, type RunOptions } from './run-options.js';
import { sideOf } from './start-run.js';

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
  const { agent, definition } = originOf(source);
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
  const toType = (words: string): string => commandToType(context, [words, ...whereFlags(where)].join(' '));
  const { code, message, details = {} } = error;
  if (code === 'conflict')
    return new UsageError(message, 'Undo the change, or start a new run with: touchstone run', 'conflict');
  if (code === 'fork_point_invalid') {
    const words =
      typeof details.blockStart === 'number'
        ? `Type: ${toType(`replay ${runId} --branch --from ${details.blockStart}`)}`
        : `See the events with: ${toType(`show ${runId} --events`)}`;
    return new UsageError(message, words);
  }
  const issues = details.issues as readonly Issue[] | undefined;
  if (!issues?.some(({ pointer }) => pointer.startsWith(OVERLAY))) return error;
  return validationError(issues.map((issue) => ({ ...issue, pointer: issue.pointer.replace(OVERLAY, '') })));
}
