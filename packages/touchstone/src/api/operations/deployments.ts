import {
  type AgentId,
  asId,
  type ChannelName,
  HostError,
  type ReasonLabel,
  type RunError,
  type RunId,
  type TransitionRequest,
  type Version,
} from '@touchstone/protocol';
import { type AgentDeploymentTransitionWire, vendor } from '@touchstone/protocol/wire';
import type { Run } from '../../ports/index.js';
import { parseAgentReference } from '../../suites/index.js';
import { type Call, type Endpoint, endpoint, ok, type Reply, wireBody } from '../endpoint.js';
import { noSuch, type Services } from '../services.js';

const records = { type: 'array', items: { $ref: 'agent-deployment' } } as const;

export const deploymentEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listAgentDeployments',
    route: 'GET /v1/agents/{agentId}/deployments',
    auth: 'key',
    summary: 'The versions of an agent, and how far each has come',
    responses: ok('One record per version, by version.', records),
    refusals: ['not_found'],
    handle: async (call) => ({ status: 200, body: await recordsOf(host, call) }),
  }),
  endpoint({
    operationId: 'transitionAgentDeployment',
    route: 'POST /v1/agents/{agentId}/deployments',
    auth: 'key',
    summary: 'Move a version: promote, pause, deprecate, roll back, change its share',
    body: wireBody('agent-deployment-transition'),
    responses: {
      200: { description: 'The record after the move.', schema: 'agent-deployment' },
      202: { description: 'The record as it is, while people are asked.', schema: vendor.pendingDeployment },
    },
    refusals: ['validation_error', 'forbidden', 'eval_gate_unmet', 'not_found', 'conflict'],
    handle: (call) => transition(host, call),
  }),
  endpoint({
    operationId: 'listAgentVersions',
    route: 'GET /v1/host/touchstone/agents/{agentId}/versions',
    auth: 'runs:read',
    summary: 'Which content each version of an agent has now, and with which it was deployed',
    responses: ok('By version.', vendor.agentVersions),
    refusals: ['not_found'],
    async handle(call) {
      const items = await host.touchstone.deployments.versions(call.principal.owner, agentIdOf(call));
      if (!items) throw noAgent();
      return { status: 200, body: { items } };
    },
  }),
];

/** The agent that a path names. An id that cannot be one is an agent that is not there. */
export function agentIdOf({ params }: Pick<Call, 'params'>): AgentId {
  const { agentId, version, channel } = readReference(params.agentId ?? '') ?? {};
  if (agentId === undefined || version !== undefined || channel !== undefined) throw noAgent();
  return agentId;
}

function readReference(text: string) {
  try {
    return parseAgentReference(text);
  } catch (error) {
    return noSuch(error);
  }
}

const noAgent = (): HostError => new HostError('not_found', 'There is no such agent.');

async function recordsOf({ touchstone }: Services, call: Call) {
  const found = await touchstone.deployments.list(call.principal.owner, agentIdOf(call));
  if (!found) throw noAgent();
  return found;
}

async function transition(
  host: Services,
  call: Call<unknown, AgentDeploymentTransitionWire>,
): Promise<Reply> {
  const { principal, body, creationId } = call;
  const agentId = agentIdOf(call);
  const request = requestOf(body);
  const run = await host.touchstone.deployments.transition(principal, agentId, request, { creationId });
  host.follow(run);
  const outcome = checkOutcome(run);
  const list = await host.touchstone.deployments.list(principal.owner, agentId);
  const record = list?.find(({ version }) => version === body.version);
  const headers = { 'touchstone-run-id': run.runId, ...warningOf(run) };
  if (outcome === 'done') return { status: 200, body: record, headers };
  return { status: 202, body: { ...record, touchstone: { runId: run.runId, status: run.status } }, headers };
}

/** What moves may not be all that was evaluated: the caller is told, and so are the approvers. */
const warningOf = ({ plan }: Run): { readonly 'touchstone-warning'?: string } =>
  plan.kind === 'deployment' && plan.request.transition === 'promote' && plan.intent?.filesNotFollowed
    ? { 'touchstone-warning': 'files_not_followed' }
    : {};

const requestOf = (body: AgentDeploymentTransitionWire): TransitionRequest => ({
  version: asId<Version>(body.version),
  transition: body.transition,
  ...(body.toState !== undefined && { toState: body.toState }),
  ...(body.channel !== undefined && { channel: asId<ChannelName>(body.channel) }),
  ...(body.canaryPercent !== undefined && { canaryPercent: body.canaryPercent }),
  ...(body.evalRunId !== undefined && { evalRunId: asId<RunId>(body.evalRunId) }),
  ...(body.reason !== undefined && { reason: asId<ReasonLabel>(body.reason) }),
});

/** Refusals of a transition, in the words of an answer. The run that holds the trace is named, so that it can be read. */
function checkOutcome({ runId, status, error }: Run): 'done' | 'waiting' {
  if (status === 'completed') return 'done';
  if (error) throw refusalOf(runId, error);
  return 'waiting';
}

function refusalOf(runId: string, { code, message, details }: RunError): HostError {
  const known = code === 'forbidden' || code === 'eval_gate_unmet' || code === 'conflict';
  if (!known) return new HostError('internal_error', message);
  return new HostError(code, message, { ...details, runId });
}
