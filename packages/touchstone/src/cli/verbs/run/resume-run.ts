import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined, isTerminal, type JsonObject, jsonEqual, type RunId } from '@touchstone/protocol';
import { type EvalRunSnapshot, isEvalRun, type RunSnapshot } from '@touchstone/sdk';
import { readPackFiles } from '../../../app/index.js';
import { readPackArgument } from '../../files/pack-source.js';
import { openSuiteFile } from '../../files/suite-source.js';
import { UsageError } from '../../io.js';
import type { Local } from '../../local.js';
import { originOf } from '../../origin.js';
import { asEvalRun, findRun } from '../../run-lookup.js';
import type { Session } from '../../session.js';
import { chooseAgent, readAgentArgument } from './agent-choice.js';
import { lookAtDefinition, useDefinedAgent } from './branch-run.js';
import { withPrompt } from './prompt-choice.js';
import { checkLive, configurableOf, FLAGS, type RunOptions } from './run-options.js';
import { sideOf } from './start-run.js';

/** The run to continue, after a check that it was planned as the options say. */
export async function findRunToResume(session: Session, options: RunOptions): Promise<RunSnapshot> {
  const run = await unfinishedRun(session, options.resume);
  // A host of another kind tells nothing of the plan.
  if (!run.touchstone) return run;
  const { configurable, touchstone } = asEvalRun(run);
  const { concurrency, repeats, modes, baselineRunId } = touchstone;
  checkSamePlan(options, { evalModes: modes, ...configurable, repeats, ...defined({ concurrency }) });
  checkSameBaseline(options, originOf(run).baseline, baselineRunId);
  checkLive(options, modes, touchstone.simulatedUser !== undefined);
  return run;
}

/** A resumed run keeps the plan it was made with: repeating the same options is fine, other ones are refused. */
export function checkSamePlan(options: RunOptions, planned: JsonObject | undefined): void {
  const baseline = planned?.baselineRunId as RunId | undefined;
  for (const [knob, value] of Object.entries(configurableOf(options, baseline))) {
    const before = planned?.[knob];
    if (before === undefined || !jsonEqual(before, value)) throw plannedOtherwise(FLAGS[knob] ?? knob);
  }
}

/** Said again as it was said before, or by the id of the run that was meant. */
export function checkSameBaseline(
  { baseline }: RunOptions,
  said: string | undefined,
  meant: RunId | undefined,
): void {
  if (baseline !== undefined && baseline !== said && baseline !== meant) throw plannedOtherwise('--baseline');
}

const plannedOtherwise = (flag: string): UsageError =>
  new UsageError(
    `--resume continues a run as it was planned, and it was planned with another ${flag}.`,
    `Leave ${flag} out, or start a new run by leaving --resume out.`,
  );

/** A run in this process goes on only if neither its suite nor its agent has changed since it began. */
export async function checkUnchanged(
  session: Session & { readonly local: Local },
  run: EvalRunSnapshot,
  suite: string | undefined,
  options: RunOptions,
  cwd: string,
): Promise<void> {
  const { local } = session;
  const { touchstone: facts } = run;
  const origin = originOf(run);
  // Its answers are recorded and its suite is in the store: nothing it depends on can have changed.
  if (facts.rejudgeOf !== undefined) return;
  if (origin.definition !== undefined)
    await checkDefinition(local, run, suite ?? origin.definition, options.agent ?? origin.agent, cwd);
  const pack = await packAtHand(suite ?? origin.pack, cwd);
  if (pack !== undefined) await checkPack(local, run, pack, suite ?? origin.pack ?? '');
  else if (origin.definition === undefined) await checkSuite(run, suite ?? origin.suite, cwd);
  const named = agentToResume(run, options.agent, origin.agent, cwd);
  const kept = await local.touchstone.pinnedSuite(local.principal.owner, facts.suite.digest);
  const chosen = await chooseAgent(session, named, kept ? sideOf(kept.head, kept) : {}, cwd);
  const agent = await withPrompt(local, chosen, options.prompt ?? origin.prompt, cwd);
  if (agent.facts?.digest !== facts.agent.digest) throw changed(run.runId, `agent ${agent.ref}`);
}

/**
 * The agent is the one that the run was pinned to. A name may lead to another version by now, because a channel has moved
 * or a newer one was installed; what only a file or a URL describes has to be read again.
 */
function agentToResume(
  { touchstone: { agent } }: EvalRunSnapshot,
  typed: string | undefined,
  kept: string | undefined,
  cwd: string,
): string {
  const wanted = typed ?? kept;
  const pinned = `${agent.agentId}@${agent.version}`;
  if (wanted === undefined) return pinned;
  if (readAgentArgument(wanted, cwd).kind !== 'reference') return wanted;
  const [agentId, selector = ''] = wanted.split('@');
  const isOther = agentId !== agent.agentId || (/^\d/.test(selector) && selector !== agent.version);
  if (isOther) throw plannedOtherwise('--agent');
  return pinned;
}

async function unfinishedRun({ client, local }: Session, wanted: RunOptions['resume']): Promise<RunSnapshot> {
  if (typeof wanted === 'string' && wanted !== 'last') {
    const run = await findRun(client, wanted);
    if (!local && isDriverless(run)) throw notTakenUp(run);
    // On another host a run goes on by itself: one that has ended meanwhile is shown.
    if (!local || !isTerminal(run.status)) return run;
    throw new UsageError(
      `Run ${run.runId} has already ended as ${run.status}.`,
      `See it with: touchstone show ${run.runId}`,
    );
  }
  const { items } = await client.runs.list({ limit: 100 });
  const newest = items.find(local ? isResumableHere : (run) => isResumable(run) && !isDriverless(run));
  if (newest) return client.runs.get(newest.runId);
  throw local
    ? new UsageError('There is no interrupted run here.', 'See the runs kept here with: touchstone runs')
    : new UsageError('That host has no unfinished run of yours.');
}

const isResumable = (run: RunSnapshot): boolean =>
  run.touchstone?.kind !== 'deployment' && !isTerminal(run.status);

/** A host takes up its own runs. One that a command began, and that nobody drives, would be waited for for ever. */
const isDriverless = ({ touchstone, status }: RunSnapshot): boolean =>
  touchstone?.origin === 'cli' && touchstone.interrupted === true && !isTerminal(status);

const notTakenUp = ({ runId }: RunSnapshot): UsageError =>
  new UsageError(
    `Run ${runId} was begun by a command line and interrupted. A host does not take it up.`,
    'Continue it on the machine where it was begun, with "run --resume" and without --host.',
  );

/** A replay that was interrupted is not worth resuming: it is started again in no time. */
const isResumableHere = (run: RunSnapshot): boolean =>
  isResumable(run) &&
  isEvalRun(run) &&
  run.touchstone.origin === 'cli' &&
  run.touchstone.fork?.mode !== 'replay';

/** The path of a pack whose files are there. One that is gone has not changed: its agent is in the store. */
async function packAtHand(argument: string | undefined, cwd: string): Promise<string | undefined> {
  if (argument === undefined || !existsSync(resolve(cwd, argument))) return undefined;
  const named = await readPackArgument(argument, cwd);
  return named?.kind === 'place' ? named.path : undefined;
}

/** The same pack is put back in its place, in case another state of it has been run in between. */
async function checkPack(
  { touchstone, principal }: Local,
  run: EvalRunSnapshot,
  path: string,
  shown: string,
): Promise<void> {
  const { suite, agent } = run.touchstone;
  const bytes = await readPackFiles(path);
  const { agents, suites } = await touchstone.packs.inspect(principal.owner, bytes);
  const isSame =
    suites.some(({ head }) => head.digest === suite.digest) &&
    agents.some(({ agentId, digest }) => agentId === agent.agentId && digest === agent.digest);
  if (!isSame) throw changed(run.runId, `the pack ${shown}`);
  await touchstone.usePack(principal.owner, bytes);
}

/** Of what the run needs of the definition, the tasks and the contract are in the store; the agent is not. */
async function checkDefinition(
  local: Local,
  run: EvalRunSnapshot,
  file: string,
  agent: string | undefined,
  cwd: string,
): Promise<void> {
  const { changed: what, agent: defined } = await lookAtDefinition(local, run, file, cwd);
  if (what !== undefined) throw changed(run.runId, what);
  if (agent === undefined) await useDefinedAgent(local, run.runId, file, defined);
}

/** A file that is gone has not changed: the run has its tasks in the store. */
async function checkSuite(run: EvalRunSnapshot, file: string | undefined, cwd: string): Promise<void> {
  if (file === undefined || !existsSync(resolve(cwd, file))) return;
  const { suite } = await openSuiteFile(resolve(cwd, file), cwd);
  if (suite.head.digest !== run.touchstone.suite.digest) throw changed(run.runId, `the suite file ${file}`);
}

function changed(runId: RunId, what: string): UsageError {
  return new UsageError(
    `Run ${runId} cannot be continued: ${what} has changed since it began, and half a run of each would prove nothing.`,
    'Undo the change, or start a new run by leaving --resume out.',
  );
}
