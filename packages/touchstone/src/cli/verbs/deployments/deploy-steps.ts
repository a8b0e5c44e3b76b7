import { AHEAD, type DeploymentState, type EvidenceReason, LEADS_TO, type RunId } from '@touchstone/protocol';
import type { Deployment, TransitionDeployment } from '@touchstone/sdk';
import type { ExitCode } from '../../exit.js';
import { type Context, writeLine } from '../../io.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../usage-error.js';
import type { Asked, DeployDoor, Outcome, Refusal, Where } from './deploy-door.js';
import { inWordsOfTheCommand, waitingWords } from './deploy-hints.js';
import type { Wish } from './deploy-options.js';
import { type Waited, waitForPeople } from './deploy-wait.js';

/** One move, which is one run of its own. */
export type Step = {
  readonly transition: Wish['transition'];
  readonly fromState: DeploymentState;
  readonly toState: DeploymentState;
  readonly runId?: RunId;
  readonly outcome: Outcome;
  readonly error?: Refusal;
  /** The same was asked before, and is still waited for. */
  readonly askedBefore?: true;
};

/** What came of a wish. */
export type Promotion = {
  readonly agentId: string;
  readonly version: string;
  /** The run that was offered as proof. */
  readonly evalRunId?: string;
  /** Those that were taken, the last of which may have been refused, or may wait. */
  readonly steps: readonly Step[];
  readonly record: Deployment;
  /** All versions of the agent, beside which its share means something. */
  readonly versions: readonly Deployment[];
  /** It was there already. */
  readonly unchanged?: true;
  /** Somebody has stopped looking; the run waits on. */
  readonly interrupted?: true;
  readonly exitCode: ExitCode;
};

type Walk = {
  readonly context: Context;
  readonly door: DeployDoor;
  readonly wish: Wish;
  readonly where: Where;
  readonly evalRunId?: string;
  readonly tell: (step: Step) => void;
};

/** Takes every step that a wish needs, one after the other, up to the first that is refused or waits. */
export async function carryOutWish(
  context: Context,
  door: DeployDoor,
  { where, ...wish }: Wish & { readonly where: Where },
  tell: (step: Step) => void,
): Promise<Promotion> {
  const records = await recordsOf(door, wish.agentId);
  const before = findVersion(records, wish);
  const named = { agentId: wish.agentId, version: wish.version };
  if (isThere(records, before, wish)) {
    if (await door.hasChanged(wish.agentId, wish.version)) throw otherBytes(wish);
    return { ...named, steps: [], record: before, versions: records, unchanged: true, exitCode: 0 };
  }
  const evalRunId = await findProof(door, wish);
  const proof = evalRunId === undefined ? {} : { evalRunId };
  const { steps, interrupted } = await takeSteps(
    { context, door, wish, where, tell, ...proof },
    before.state,
  );
  const versions = await recordsOf(door, wish.agentId);
  return {
    ...named,
    ...proof,
    steps,
    record: findVersion(versions, wish),
    versions,
    ...(interrupted && { interrupted }),
    exitCode: interrupted ? 130 : exitOfStep(steps.at(-1)),
  };
}

/** Waiting is neither a yes nor a no; what is broken is nobody's decision. */
function exitOfStep(last: Step | undefined): ExitCode {
  if (last?.outcome === 'waiting' || last?.error?.code === 'internal_error') return 3;
  return last?.outcome === 'refused' ? 1 : 0;
}

/** Every version of an agent, which has to be known. */
export async function recordsOf(door: DeployDoor, agentId: string): Promise<readonly Deployment[]> {
  const records = await door.list(agentId);
  if (records) return records;
  throw await noAgent(door, agentId);
}

export function findVersion(
  records: readonly Deployment[],
  { agentId, version }: Pick<Wish, 'agentId' | 'version'>,
): Deployment {
  const found = records.find((record) => record.version === version);
  if (found) return found;
  const known = records.map((record) => record.version as string);
  throw new UsageError(
    `There is no version ${version} of ${agentId}.`,
    didYouMean(version, known, 'Versions') ?? 'Install it first.',
  );
}

async function noAgent(door: DeployDoor, agentId: string): Promise<UsageError> {
  const hint = didYouMean(agentId, await door.knownAgents(), 'Known');
  return new UsageError(
    `There is no agent ${agentId}.`,
    hint ?? 'Add it to "agents" of the configuration, or install its pack.',
  );
}

/** Nothing is asked for that is not so already. Where several share a channel, which is the newest is for the host to say. */
function isThere(records: readonly Deployment[], record: Deployment, wish: Wish): boolean {
  const { transition, to, channel, canaryPercent = 100 } = wish;
  if (transition !== 'promote' || record.state !== to) return false;
  const onIt = records.filter(({ channels }) => channels?.some((name) => name === channel));
  const isPlaced = channel === undefined || (onIt.length === 1 && onIt[0] === record);
  return isPlaced && (to !== 'active' || (record.canaryPercent ?? 100) === canaryPercent);
}

const otherBytes = ({ agentId, version }: Wish): UsageError =>
  new UsageError(
    `${version} is in that state already, but the agent has changed since, and what serves is what was promoted.`,
    `Give the changed agent a version of its own, and promote that: ${agentId}@<new version>.`,
  );

async function findProof(door: DeployDoor, { evalRun, agentId, version }: Wish): Promise<string | undefined> {
  if (evalRun !== 'last') return evalRun;
  const newest = await door.newestEval(agentId, version);
  if (newest !== undefined) return newest;
  throw new UsageError(
    `There is no completed run of a suite with ${agentId}@${version}.`,
    `Make one with: touchstone run <suite> --agent ${agentId}@${version}`,
  );
}

/** The states on the way. Where there is no way, the host is asked all the same: why not is for it to say. */
export function statesTo(
  from: DeploymentState,
  { transition, to = 'active' }: Wish,
): readonly DeploymentState[] {
  if (transition !== 'promote') return [LEADS_TO[transition]];
  const states: DeploymentState[] = [];
  for (let next = AHEAD[from]; next !== undefined; next = AHEAD[next]) {
    states.push(next);
    if (next === to) return states;
  }
  return [to];
}

async function takeSteps(
  walk: Walk,
  from: DeploymentState,
): Promise<{ readonly steps: readonly Step[]; readonly interrupted?: true }> {
  const { wish, tell } = walk;
  const steps: Step[] = [];
  let fromState = from;
  for (const toState of statesTo(from, wish)) {
    const first = await askFor(walk, toState);
    const { interrupted, ...asked } = await waited(walk, first);
    const step = { transition: wish.transition, fromState, toState, ...asked };
    steps.push(step);
    tell(step);
    if (step.outcome !== 'moved') return { steps, ...(interrupted && { interrupted }) };
    fromState = toState;
  }
  return { steps };
}

/**
 * The proof is for the last step. A step before it may have no gate at all, and would then be measured by the bar of the
 * suite; where it has one that asks for a run, it gets the same.
 */
async function askFor({ door, wish, evalRunId }: Walk, toState: DeploymentState): Promise<Asked> {
  const ask = (proof: string | undefined): Promise<Asked> =>
    door
      .transition(wish.agentId, requestOf(wish, toState, proof))
      .catch((error) => inWordsOfTheCommand(error, wish));
  if (evalRunId === undefined || isLast(wish, toState)) return ask(evalRunId);
  const asked = await ask(undefined);
  return asked.error?.details?.reason === NO_RUN ? ask(evalRunId) : asked;
}
const NO_RUN: EvidenceReason = 'no_eval_run';

const isLast = ({ transition, to }: Wish, toState: DeploymentState): boolean =>
  transition !== 'promote' || toState === to;

async function waited({ context, door, wish, where }: Walk, asked: Asked): Promise<Waited> {
  const { runId } = asked;
  if (asked.outcome !== 'waiting' || runId === undefined || wish.wait === undefined) return asked;
  writeLine(context.io.stderr, waitingWords(context, runId, where));
  return waitForPeople(context, door, { ...asked, runId }, wish.wait);
}

/** A place is where the last step leads. */
function requestOf(
  wish: Wish,
  toState: DeploymentState,
  evalRunId: string | undefined,
): TransitionDeployment {
  const { version, transition, channel, canaryPercent, reason } = wish;
  const isPlaced = isLast(wish, toState);
  return {
    version,
    transition,
    ...(transition === 'promote' && { toState }),
    ...(isPlaced && channel !== undefined && { channel }),
    ...(isPlaced && canaryPercent !== undefined && { canaryPercent }),
    ...(evalRunId !== undefined && { evalRunId }),
    ...(reason !== undefined && { reason }),
  };
}
