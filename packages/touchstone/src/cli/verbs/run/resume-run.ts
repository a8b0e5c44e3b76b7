import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isTerminal, type RunId } from '@touchstone/protocol';
import type { Run, Suite } from '../../../ports/index.js';
import { readPackBytes } from '../../files/pack-files.js';
import { readPackArgument, usePack } from '../../files/pack-source.js';
import { openSuiteFile } from '../../files/suite-source.js';
import { asEvalRun, type EvalRun, findRun } from '../../find-run.js';
import { LOCAL_OWNER, type Local } from '../../local.js';
import { originOf } from '../../origin.js';
import { UsageError } from '../../usage-error.js';
import { chooseAgent, readAgentArgument } from './agent-choice.js';
import { lookAtDefinition, useDefinedAgent } from './defined-agent.js';
import { checkLive } from './record-file.js';
import { checkSameBaseline, checkSamePlan, plannedOtherwise, type RunOptions } from './run-options.js';
import { sideOf } from './start-run.js';

/** The run to continue, after a check that neither its suite nor its agent has changed since. */
export async function findRunToResume(
  local: Local,
  suite: string | undefined,
  options: RunOptions,
  cwd: string,
): Promise<EvalRun> {
  const run = asEvalRun(await unfinishedRun(local, options.resume));
  const { concurrency, repeats, modes, baselineRunId } = run.plan;
  const origin = originOf(run);
  checkSamePlan(options, { evalModes: modes, ...run.request.configurable, concurrency, repeats });
  checkSameBaseline(options, origin.baseline, baselineRunId);
  if (options.record !== undefined) checkLive(modes);
  // Its answers are recorded and its suite is in the store: nothing it depends on can have changed.
  if (run.plan.rejudgeOf !== undefined) return run;
  if (origin.definition !== undefined)
    await checkDefinition(local, run, suite ?? origin.definition, options.agent ?? origin.agent, cwd);
  const pack = await packAtHand(suite ?? origin.pack, cwd);
  if (pack !== undefined) await checkPack(local, run, pack, suite ?? origin.pack ?? '');
  else if (origin.definition === undefined) await checkSuite(run, suite ?? origin.suite, cwd);
  const named = agentToResume(run, options.agent, origin.agent, cwd);
  const suiteNow = await storedSuite(local, run);
  const facts = await chooseAgent(local, named, suiteNow ? sideOf(suiteNow.head, suiteNow) : {}, cwd);
  if (facts.digest !== run.plan.agent.digest)
    throw changed(run.runId, `agent ${facts.agentId}@${facts.version}`);
  return run;
}

/**
 * The agent is the one that the run was pinned to. A name may lead to another version by now, because a channel has moved
 * or a newer one was installed; what only a file or a URL describes has to be read again.
 */
function agentToResume(
  { plan: { agent } }: EvalRun,
  typed: string | undefined,
  said: string | undefined,
  cwd: string,
): string {
  const wanted = typed ?? said;
  const pinned = `${agent.agentId}@${agent.version}`;
  if (wanted === undefined) return pinned;
  if (readAgentArgument(wanted, cwd).kind !== 'reference') return wanted;
  const [agentId, selector = ''] = wanted.split('@');
  const isOther = agentId !== agent.agentId || (/^\d/.test(selector) && selector !== agent.version);
  if (isOther) throw plannedOtherwise('--agent');
  return pinned;
}

async function unfinishedRun({ touchstone }: Local, wanted: RunOptions['resume']): Promise<Run> {
  if (typeof wanted === 'string' && wanted !== 'last') {
    const run = await findRun(touchstone, wanted);
    if (!isTerminal(run.status)) return run;
    throw new UsageError(
      `Run ${run.runId} has already ended as ${run.status}.`,
      `See it with: touchstone show ${run.runId}`,
    );
  }
  const { items } = await touchstone.store.runs.list(LOCAL_OWNER, { limit: 100 });
  const newest = items.find(isResumable);
  if (newest) return newest;
  throw new UsageError('There is no interrupted run here.', 'See the runs kept here with: touchstone runs');
}

/** A replay that was interrupted is not worth resuming: it is started again in no time. */
const isResumable = ({ origin, plan, status }: Run): boolean =>
  origin === 'cli' && plan.kind === 'eval' && plan.fork?.mode !== 'replay' && !isTerminal(status);

/** The path of a pack whose files are there. One that is gone has not changed: its agent is in the store. */
async function packAtHand(argument: string | undefined, cwd: string): Promise<string | undefined> {
  if (argument === undefined || !existsSync(resolve(cwd, argument))) return undefined;
  const named = await readPackArgument(argument, cwd);
  return named?.kind === 'place' ? named.path : undefined;
}

/** The same pack is put back in its place, in case another state of it has been run in between. */
async function checkPack({ touchstone }: Local, run: EvalRun, path: string, shown: string): Promise<void> {
  const { suite, agent } = run.plan;
  const bytes = await readPackBytes(path);
  const { agents, suites } = await touchstone.inspectPack(bytes);
  const isSame =
    suites.some(({ head }) => head.digest === suite.digest) &&
    agents.some(({ agentId, digest }) => agentId === agent.agentId && digest === agent.digest);
  if (!isSame) throw changed(run.runId, `the pack ${shown}`);
  await usePack(touchstone, bytes);
}

/** Of what the run needs of the definition, the tasks and the contract are in the store; the agent is not. */
async function checkDefinition(
  local: Local,
  run: EvalRun,
  file: string,
  agent: string | undefined,
  cwd: string,
): Promise<void> {
  const { changed: what, agent: defined } = await lookAtDefinition(local, run, file, cwd);
  if (what !== undefined) throw changed(run.runId, what);
  if (agent === undefined) await useDefinedAgent(local, run.runId, file, defined);
}

/** A file that is gone has not changed: the run has its tasks in the store. */
async function checkSuite(run: EvalRun, file: string | undefined, cwd: string): Promise<void> {
  if (file === undefined || !existsSync(resolve(cwd, file))) return;
  const { suite } = await openSuiteFile(resolve(cwd, file), cwd);
  if (suite.head.digest !== run.plan.suite.digest) throw changed(run.runId, `the suite file ${file}`);
}

async function storedSuite({ touchstone }: Local, run: EvalRun): Promise<Suite | undefined> {
  const head = await touchstone.store.suites.byDigest(LOCAL_OWNER, run.plan.suite.digest);
  return head && touchstone.readSuite({ head, owner: LOCAL_OWNER });
}

function changed(runId: RunId, what: string): UsageError {
  return new UsageError(
    `Run ${runId} cannot be continued: ${what} has changed since it began, and half a run of each would prove nothing.`,
    'Undo the change, or start a new run by leaving --resume out.',
  );
}
