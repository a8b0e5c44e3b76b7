import { AHEAD, type DeploymentState, defined, type EvidenceReason, LEADS_TO } from '@touchstone/protocol';
import type { Client, Deployment, TransitionDeployment } from '@touchstone/sdk';
import { type Context, type ExitCode, UsageError, writeLine } from '../../io.js';
import { absent } from '../../run-lookup.js';
import type { Session } from '../../session.js';
import { didYouMean } from '../../suggest.js';
import { inFlags, waitingLine } from './hints.js';
import type { PromotionRequest } from './options.js';
import { type WaitResult, waitForPeople } from './timeline.js';
import { bytesOf, newestEval, requestTransition, type Step, type TransitionAnswer } from './transitions.js';

/** What came of a request. */
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
  /** What was promoted may not be all that was evaluated: the agent's digest may not cover all files of its program. */
  readonly filesNotFollowed?: true;
  /** It was there already. */
  readonly unchanged?: true;
  /** The user stopped waiting; the run still waits. */
  readonly interrupted?: true;
  readonly exitCode: ExitCode;
};

type Walk = {
  readonly context: Context;
  readonly session: Session;
  readonly request: PromotionRequest;
  readonly evalRunId?: string;
  readonly tell: (step: Step) => void;
};

/** Takes every step that a request needs, one after the other, up to the first that is refused or waits. */
export async function carryOut(
  context: Context,
  session: Session,
  request: PromotionRequest,
  tell: (step: Step) => void,
): Promise<Promotion> {
  const { client } = session;
  const records = await recordsOf(client, request.agentId);
  const before = findVersion(records, request);
  const named = { agentId: request.agentId, version: request.version };
  const bytes = await bytesOf(client, request.agentId, request.version);
  const isWarned = request.transition === 'promote' && bytes.filesNotFollowed;
  const warning = isWarned ? { filesNotFollowed: true as const } : {};
  if (isThere(records, before, request)) {
    if (bytes.hasChanged) throw otherBytes(request);
    return {
      ...named,
      ...warning,
      steps: [],
      record: before,
      versions: records,
      unchanged: true,
      exitCode: 0,
    };
  }
  const evalRunId = await findProof(client, request);
  const proof = defined({ evalRunId });
  const walk = { context, session, request, tell, ...proof };
  const { steps, interrupted } = await takeSteps(walk, before.state);
  const versions = await recordsOf(client, request.agentId);
  return {
    ...named,
    ...proof,
    ...warning,
    steps,
    record: findVersion(versions, request),
    versions,
    ...(interrupted && { interrupted }),
    exitCode: interrupted ? 130 : exitOfStep(steps.at(-1)),
  };
}

/** Waiting is neither a yes nor a no, and a broken host has decided nothing. */
function exitOfStep(last: Step | undefined): ExitCode {
  if (last?.outcome === 'waiting' || last?.error?.code === 'internal_error') return 3;
  return last?.outcome === 'refused' ? 1 : 0;
}

/** Every version of an agent, which has to be known. */
export async function recordsOf(client: Client, agentId: string): Promise<readonly Deployment[]> {
  const records = await client.deployments.list(agentId).catch(absent);
  if (records) return records;
  const known = (await client.agents.list()).agents.map((agent) => agent.agentId as string);
  throw new UsageError(
    `There is no agent ${agentId}.`,
    didYouMean(agentId, [...new Set(known)], 'Known') ??
      'Add it to "agents" of the configuration, or install its pack.',
  );
}

export function findVersion(
  records: readonly Deployment[],
  { agentId, version }: Pick<PromotionRequest, 'agentId' | 'version'>,
): Deployment {
  const found = records.find((record) => record.version === version);
  if (found) return found;
  const known = records.map((record) => record.version as string);
  throw new UsageError(
    `There is no version ${version} of ${agentId}.`,
    didYouMean(version, known, 'Versions') ?? 'Install it first.',
  );
}

/** Nothing is asked for that is not so already. Where several share a channel, which is the newest is for the host to say. */
function isThere(records: readonly Deployment[], record: Deployment, request: PromotionRequest): boolean {
  const { transition, to, channel, canaryPercent = 100 } = request;
  if (transition !== 'promote' || record.state !== to) return false;
  const onIt = records.filter(({ channels }) => channels?.some((name) => name === channel));
  const isPlaced = channel === undefined || (onIt.length === 1 && onIt[0] === record);
  return isPlaced && (to !== 'active' || (record.canaryPercent ?? 100) === canaryPercent);
}

const otherBytes = ({ agentId, version }: PromotionRequest): UsageError =>
  new UsageError(
    `${version} is in that state already, but the agent has changed since, and what serves is what was promoted.`,
    `Give the changed agent a version of its own, and promote that: ${agentId}@<new version>.`,
  );

async function findProof(
  client: Client,
  { evalRun, agentId, version }: PromotionRequest,
): Promise<string | undefined> {
  if (evalRun !== 'last') return evalRun;
  const newest = await newestEval(client, agentId, version);
  if (newest !== undefined) return newest;
  throw new UsageError(
    `There is no completed run of a suite with ${agentId}@${version}.`,
    `Make one with: touchstone run <suite> --agent ${agentId}@${version}`,
  );
}

/** The states on the way. Where there is no way, the host is asked all the same: why not is for it to say. */
function statesTo(
  from: DeploymentState,
  { transition, to = 'active' }: PromotionRequest,
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
  const { request, tell } = walk;
  const steps: Step[] = [];
  let fromState = from;
  for (const toState of statesTo(from, request)) {
    const { interrupted, ...asked } = await waited(walk, await askFor(walk, toState));
    const step = { transition: request.transition, fromState, toState, ...asked };
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
async function askFor(
  { session, request, evalRunId }: Walk,
  toState: DeploymentState,
): Promise<TransitionAnswer> {
  const ask = (proof: string | undefined): Promise<TransitionAnswer> =>
    requestTransition(session.client, request.agentId, requestOf(request, toState, proof)).catch((error) =>
      inFlags(error, request),
    );
  if (evalRunId === undefined || isLast(request, toState)) return ask(evalRunId);
  const asked = await ask(undefined);
  return asked.error?.details?.reason === NO_RUN ? ask(evalRunId) : asked;
}
const NO_RUN: EvidenceReason = 'no_eval_run';

const isLast = ({ transition, to }: PromotionRequest, toState: DeploymentState): boolean =>
  transition !== 'promote' || toState === to;

async function waited({ context, session, request }: Walk, asked: TransitionAnswer): Promise<WaitResult> {
  const { runId } = asked;
  if (asked.outcome !== 'waiting' || runId === undefined || request.wait === undefined) return asked;
  writeLine(context.io.stderr, waitingLine(context, runId, session.where));
  return waitForPeople(context, session, { ...asked, runId }, request.wait);
}

/** A place is where the last step leads. */
function requestOf(
  request: PromotionRequest,
  toState: DeploymentState,
  evalRunId: string | undefined,
): TransitionDeployment {
  const { version, transition, channel, canaryPercent, reason } = request;
  return {
    version,
    transition,
    ...(transition === 'promote' && { toState }),
    ...(isLast(request, toState) && defined({ channel, canaryPercent })),
    ...defined({ evalRunId, reason }),
  };
}
