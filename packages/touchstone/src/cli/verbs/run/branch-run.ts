import { HOST_OWNER, type Issue, isHostError, validationError } from '@touchstone/protocol';
import type { Run, Suite } from '../../../ports/index.js';
import type { EvalRun } from '../../find-run.js';
import type { Context } from '../../io.js';
import { LOCAL_OWNER, LOCAL_PRINCIPAL, type Local } from '../../local.js';
import { commandToType } from '../../next-commands.js';
import { originOf } from '../../origin.js';
import { UsageError } from '../../usage-error.js';
import { bringsItsModel, chooseAgent, readAgentArgument } from './agent-choice.js';
import { lookAtDefinition, useDefinedAgent } from './defined-agent.js';
import { configurableOf, type RunOptions } from './run-options.js';
import { sideOf } from './start-run.js';

/** Creates a run that leaves another one at an event; nothing is driven yet. */
export async function createBranch(
  context: Context,
  local: Local,
  source: EvalRun,
  fromSeq: number,
  options: RunOptions,
): Promise<Run> {
  if (options.model !== undefined && source.plan.model === undefined)
    throw bringsItsModel(source.plan.agent.agentId);
  await registerAgent(local, source, context.io.cwd);
  const configurable = configurableOf(options);
  const overlay = Object.keys(configurable).length > 0 ? { runOptionsOverlay: { configurable } } : {};
  try {
    return await local.touchstone.fork(
      LOCAL_PRINCIPAL,
      source.runId,
      { mode: 'branch', fromSeq, ...overlay },
      { origin: 'cli', start: false },
    );
  } catch (error) {
    throw inWordsOfTheCommand(context, source, error);
  }
}

/** An agent that was named by its file or its URL is known only to the command that names it. */
async function registerAgent(local: Local, source: EvalRun, cwd: string): Promise<void> {
  const { agent, definition } = originOf(source);
  if (agent === undefined && definition !== undefined) {
    const { agent: defined } = await lookAtDefinition(local, source, definition, cwd);
    await useDefinedAgent(local, source.runId, definition, defined);
  }
  // A run is pinned to a version, so a name needs nothing: the channel in it may even lead nowhere by now.
  if (agent === undefined || readAgentArgument(agent, cwd).kind === 'reference') return;
  const suite = await storedSuite(local, source.plan.suite.digest);
  await chooseAgent(local, agent, suite ? sideOf(suite.head, suite) : {}, cwd);
}

async function storedSuite(
  { touchstone }: Local,
  digest: EvalRun['plan']['suite']['digest'],
): Promise<Suite | undefined> {
  for (const owner of [LOCAL_OWNER, HOST_OWNER]) {
    const head = await touchstone.store.suites.byDigest(owner, digest);
    if (head) return touchstone.readSuite({ head, owner });
  }
  return undefined;
}

const OVERLAY = '/runOptionsOverlay';

/** The host speaks of members of a request; whoever typed a command knows flags. */
function inWordsOfTheCommand(context: Context, { runId }: EvalRun, error: unknown): unknown {
  if (!isHostError(error)) return error;
  const { code, message, details = {} } = error;
  if (code === 'conflict')
    return new UsageError(message, 'Undo the change, or start a new run with: touchstone run', 'conflict');
  if (code === 'fork_point_invalid') {
    const words =
      typeof details.blockStart === 'number'
        ? `Type: ${commandToType(context, `replay ${runId} --branch --from ${details.blockStart}`)}`
        : `See the events with: ${commandToType(context, `show ${runId} --events`)}`;
    return new UsageError(message, words);
  }
  const issues = details.issues as readonly Issue[] | undefined;
  if (!issues?.some(({ pointer }) => pointer.startsWith(OVERLAY))) return error;
  return validationError(issues.map((issue) => ({ ...issue, pointer: issue.pointer.replace(OVERLAY, '') })));
}
