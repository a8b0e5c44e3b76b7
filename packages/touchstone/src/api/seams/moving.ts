import {
  type AgentId,
  asId,
  type DeploymentState,
  type Owner,
  type Principal,
  type RunId,
  type TransitionRequest,
  type Version,
  validationError,
} from '@touchstone/protocol';
import type { AgentDeploymentWire } from '@touchstone/protocol/wire';
import { hasScope } from '../../app/index.js';
import { matchingGates, targetState } from '../../deployments/index.js';
import type { Run } from '../../ports/index.js';
import type { Call } from '../endpoint.js';
import { noSuch, type Services } from '../services.js';
import { runToEnd } from './real-run.js';

/** A version of an agent that a seam moves: as it stands, and whether it is the newest on the channel it is wanted on. */
export type Piece = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly state: DeploymentState;
  readonly isNewest: boolean;
};

/** Every version that has not been taken out of service for good, by version. */
export async function piecesOf(
  { touchstone }: Services,
  owner: Owner,
  agentId: AgentId,
  channel: string,
): Promise<readonly Piece[]> {
  const records = await touchstone.deployments.list(owner, agentId);
  if (!records)
    throw validationError([{ pointer: '/agentId', message: 'No agent of this name is installed.' }], {
      field: 'agentId',
    });
  const line = (await touchstone.store.deployments.get(owner, agentId))?.channels ?? {};
  const newest = Object.hasOwn(line, channel) ? line[channel]?.at(-1) : undefined;
  return records
    .map(({ version, state }) => ({
      agentId,
      version: asId<Version>(version),
      state,
      isNewest: version === newest,
    }))
    .filter(({ state }) => !RETIRED.has(state));
}
const RETIRED: ReadonlySet<DeploymentState> = new Set(['deprecated', 'rolled-back']);

/** The named version, or the one that can be promoted with the least ado. */
export function choosePiece(pieces: readonly Piece[], version: string | undefined): Piece {
  const named = pieces.filter((piece) => version === undefined || piece.version === version);
  const chosen =
    named.findLast(({ state }) => state !== 'active') ??
    named.findLast(({ isNewest }) => !isNewest) ??
    named.at(-1);
  if (chosen) return chosen;
  const what = version === undefined ? 'version of this agent' : `version ${version} of this agent`;
  const message = `There is no ${what} that can be moved. Name another one.`;
  throw validationError([{ pointer: '/version', message }], { field: 'version' });
}

/** Asks for a transition as anyone may. */
export async function move(
  host: Services,
  principal: Principal,
  { agentId }: Piece,
  request: TransitionRequest,
): Promise<Run> {
  const run = await host.touchstone.deployments.transition(principal, agentId, request);
  host.follow(run);
  return run;
}

/** An evaluation of the suite that a configured gate asks for; nothing when none does, or none can be had. */
export async function proofFor(
  host: Services,
  call: Call,
  { agentId, version, state }: Piece,
  transition: TransitionRequest['transition'],
): Promise<{ readonly evalRunId?: RunId }> {
  const { tenant } = call.principal.owner;
  const to = targetState({ version, transition }, state);
  const gates = to ? matchingGates(host.config.gates, tenant, agentId, to) : [];
  const suite = gates.find(({ requiredEval }) => requiredEval)?.requiredEval?.suite;
  if (suite === undefined || !host.evalSuite || !hasScope(call.principal, 'runs:create')) return {};
  const body = { mode: 'eval', evalSuiteRef: suite, agentId: `${agentId}@${version}` } as const;
  const run = await runToEnd(host, call, body).catch(noSuch);
  return run ? { evalRunId: run.runId } : {};
}

export const recordOf = async (
  { touchstone }: Services,
  owner: Owner,
  { agentId, version }: Pick<Piece, 'agentId' | 'version'>,
): Promise<AgentDeploymentWire | undefined> =>
  (await touchstone.deployments.list(owner, agentId))?.find((record) => record.version === version);
