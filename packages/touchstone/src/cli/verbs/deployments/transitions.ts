import {
  asId,
  type DeploymentState,
  defined,
  type EvalReport,
  type RunId,
  type RunStatus,
  type TransitionRequest,
} from '@touchstone/protocol';
import {
  type Client,
  HostResponseError,
  type RunEvent,
  type RunSnapshot,
  type TransitionDeployment,
} from '@touchstone/sdk';
import { eventPages, knownRun, noDeployment, runPages } from '../../run-lookup.js';
import type { Session } from '../../session.js';

/** Why a host refused something. */
export type Refusal = {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly [key: string]: unknown };
};

/** A run that moves a deployment, as it is now. */
export type DeploymentRun = {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly principal?: string;
  readonly agentId: string;
  readonly request: TransitionRequest;
  readonly error?: Refusal;
  /** The node whose question the run waits on. */
  readonly waitingNode?: string;
  /** No answer came in time, and the host has not written that down yet. */
  readonly expired?: true;
  /** Gates that take no grant of the principal who asked. */
  readonly barsRequester?: readonly string[];
  /** The agent's digest may not cover all files of its program. */
  readonly filesNotFollowed?: true;
};

/** What a host answered to a request to move a deployment. */
export type TransitionAnswer = {
  readonly outcome: 'moved' | 'waiting' | 'refused';
  readonly runId?: RunId;
  readonly error?: Refusal;
  /** The same was requested before, and still waits for people. */
  readonly askedBefore?: true;
};

/** One move, which is one run of its own. */
export type Step = TransitionAnswer & {
  readonly transition: TransitionRequest['transition'];
  readonly fromState: DeploymentState;
  readonly toState: DeploymentState;
};

const REFUSALS = ['forbidden', 'eval_gate_unmet', 'conflict'];

/** Requests one move. Throws what cannot be at all; a refusal is an answer. */
export async function requestTransition(
  client: Client,
  agentId: string,
  request: TransitionDeployment,
): Promise<TransitionAnswer> {
  const before = await waitingRuns(client, agentId);
  try {
    const { runId, waiting } = await client.deployments.transition(agentId, request);
    const isOlder = waiting !== undefined && runId !== undefined && before.includes(runId);
    return {
      outcome: waiting ? 'waiting' : 'moved',
      ...(runId && { runId }),
      ...(isOlder && { askedBefore: true }),
    };
  } catch (error) {
    const { details: { runId, ...details } = {}, ...refusal } = refusalOf(error, REFUSALS);
    const why = Object.keys(details).length > 0 ? { ...refusal, details } : refusal;
    return outcomeOf({ runId: asId<RunId>(String(runId ?? '')), status: 'failed', error: why });
  }
}

/** A key that may move an agent and not read runs is not told that the same was requested before. */
async function waitingRuns(client: Client, agentId: string): Promise<readonly RunId[]> {
  const filter = { agentId, status: 'waiting-approval', limit: 100 } as const;
  const page = await client.runs.list(filter).catch(unreadable);
  // A run whose time is over is closed by the next request, and a new one is made.
  return page?.items.filter(({ touchstone }) => !touchstone?.expired).map(({ runId }) => runId) ?? [];
}

function unreadable(error: unknown): undefined {
  if (!(error instanceof HostResponseError) || error.status >= 500) throw error;
}

/** An answer with one of these codes; anything else is thrown. */
export function refusalOf(error: unknown, codes: readonly string[]): Refusal {
  if (!(error instanceof HostResponseError) || !codes.includes(error.code)) throw error;
  const { code, message, details } = error;
  return { code, message, ...defined({ details }) };
}

/** Undefined when there is no such run; refused when it moves no deployment. */
export async function findDeploymentRun(
  { client, local }: Session,
  runId: string,
): Promise<DeploymentRun | undefined> {
  const run = await knownRun(client, runId);
  if (!run?.touchstone?.expired || !local) return run && deploymentRunOf(run);
  // In process no server notices that the time of a waiting run is over, so the command that looks at it does.
  await local.touchstone.engine.drive(local.principal.owner, run.runId);
  return deploymentRunOf(await client.runs.get(run.runId));
}

export function deploymentRunOf(run: RunSnapshot): DeploymentRun {
  const { kind, agentId = '', request, approvals = [], expired, filesNotFollowed } = run.touchstone ?? {};
  if (kind !== 'deployment' || !request) throw noDeployment(run.runId);
  const { principal } = (run.owner ?? {}) as { readonly principal?: string };
  const waitingNode = run.currentNodeId as string | undefined;
  const barring = approvals.filter(({ excludeRequester }) => excludeRequester);
  return {
    runId: run.runId,
    status: run.status,
    agentId,
    request,
    ...defined({
      principal,
      waitingNode,
      expired,
      filesNotFollowed,
      error: run.error as Refusal | undefined,
    }),
    ...(barring.length > 0 && { barsRequester: barring.map(({ gateId }) => gateId) }),
  };
}

/** The whole log of a short run. A host hands it out in pieces. */
export async function readEvents(client: Client, runId: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const page of eventPages(client, await client.runs.get(runId))) events.push(...page);
  return events;
}

/** Takes a request back, and ends its run. */
export async function withdraw({ client, local }: Session, runId: RunId, reason?: string): Promise<void> {
  await client.runs.cancel(runId, reason);
  // In process no server drives the run to its end.
  if (local) await local.touchstone.engine.drive(local.principal.owner, runId);
}

/** The newest completed run of a suite with this version: neither a fork nor a rejudged one. */
export async function newestEval(
  client: Client,
  agentId: string,
  version: string,
): Promise<RunId | undefined> {
  for await (const page of runPages(client, { agentId, status: 'completed' })) {
    const found = page.find(({ touchstone: facts }) => {
      const isOriginal = facts?.kind === 'eval' && !facts.fork && !facts.rejudgeOf;
      return isOriginal && facts.agent?.version === version;
    });
    if (found) return found.runId;
  }
  return undefined;
}

/** What a run offered as evidence has shown; undefined when it cannot be read. */
export const readEvidence = (client: Client, runId: RunId): Promise<EvalReport | undefined> =>
  client.runs.report(runId).catch(unreadable);

/** What is known of the bytes of a version; nothing when the key may not read that. */
export async function bytesOf(
  client: Client,
  agentId: string,
  version: string,
): Promise<{
  /** The agent has other content now than what was deployed under this version. */
  readonly hasChanged: boolean;
  /** Its digest may not cover all files of its program. */
  readonly filesNotFollowed: boolean;
}> {
  const versions = await client.deployments.versions(agentId).catch(unreadable);
  const {
    digest,
    deployedDigest,
    filesNotFollowed = false,
  } = versions?.items.find((one) => one.version === version) ?? {};
  const hasBoth = digest !== undefined && deployedDigest !== undefined;
  return { hasChanged: hasBoth && digest !== deployedDigest, filesNotFollowed };
}

/** What has become of a run that moves a deployment. */
export function outcomeOf({
  runId,
  status,
  error,
}: Pick<DeploymentRun, 'runId' | 'status' | 'error'>): TransitionAnswer {
  if (status === 'completed') return { outcome: 'moved', runId };
  if (error) return { outcome: 'refused', runId, error };
  if (status !== 'cancelled') return { outcome: 'waiting', runId };
  const message = 'The run was cancelled, so nothing was moved.';
  return { outcome: 'refused', runId, error: { code: 'cancelled', message } };
}
