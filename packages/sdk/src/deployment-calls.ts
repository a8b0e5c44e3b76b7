import type { Json, RunId, RunStatus } from '@touchstone/protocol';
import { at, type Get, post, posting, type Reading, type Sending, VENDOR } from './calls.js';
import type {
  AgentVersion,
  AuditEntry,
  AuditVerdict,
  Deployment,
  InterruptQuestion,
  InterruptToken,
  NewInterruptToken,
  ResolvedInterrupt,
  TransitionDeployment,
  TransitionedDeployment,
} from './deployment-types.js';
import { runPath } from './stream.js';
import type { Transport } from './transport.js';
import type { Page } from './types.js';

const RUN_HEADER = 'touchstone-run-id';

const deploymentsOf = (agentId: string): string => `/v1/agents/${at(agentId)}/deployments`;

export function deploymentCalls(transport: Transport, get: Get) {
  return {
    /** Every version of an agent with its state, by version. */
    list: (agentId: string, reading?: Reading): Promise<readonly Deployment[]> =>
      get(deploymentsOf(agentId), reading),
    /** The digests of every version of an agent, now and as deployed. */
    versions: (agentId: string, reading?: Reading): Promise<Page<AgentVersion>> =>
      get(`${VENDOR}/agents/${at(agentId)}/versions`, reading),
    /** Refusals name the run that tells of them in `details.runId`. */
    async transition(
      agentId: string,
      body: TransitionDeployment,
      sending?: Sending,
    ): Promise<TransitionedDeployment> {
      const call = posting(deploymentsOf(agentId), body, sending);
      const { body: answer, headers } = await transport.reply<PendingDeployment>(call);
      const { touchstone, ...record } = answer;
      const runId = touchstone?.runId ?? (headers.get(RUN_HEADER) as RunId | null);
      return { record, ...(runId && { runId }), ...(touchstone && { waiting: touchstone.status }) };
    },
  };
}

type PendingDeployment = Deployment & {
  readonly touchstone?: { readonly runId: RunId; readonly status: RunStatus };
};

export function interruptCalls(transport: Transport, get: Get) {
  return {
    /** Answers the question that a node of a run has asked. */
    resolve: (
      runId: RunId,
      nodeId: string,
      resumeValue: Json,
      sending?: Sending,
    ): Promise<ResolvedInterrupt> =>
      post(transport, `${runPath(runId)}/interrupts/${at(nodeId)}`, { resumeValue }, sending),
    /** A link by which the question can be answered, or looked at, without a key. */
    createToken: (
      runId: RunId,
      nodeId: string,
      wish: NewInterruptToken = {},
      sending?: Sending,
    ): Promise<InterruptToken> =>
      post(transport, `${VENDOR}/runs/${at(runId)}/interrupts/${at(nodeId)}/tokens`, wish, sending),
    inspect: (token: string, reading?: Reading): Promise<InterruptQuestion> =>
      get(`/v1/interrupts/${at(token)}`, reading),
    resolveByToken: (token: string, resumeValue: Json, sending?: Sending): Promise<ResolvedInterrupt> =>
      post(transport, `/v1/interrupts/${at(token)}`, { resumeValue }, sending),
  };
}

export function auditCalls(get: Get) {
  return {
    /** Whether the audit log of the key's owner is unbroken. */
    verify: (reading?: Reading): Promise<AuditVerdict> => get('/v1/audit/verify', reading),
    /** Oldest first, unless `order` is `desc`; `cursor` is the `nextCursor` of the page before. */
    list: (
      page: { readonly limit?: number; readonly cursor?: string; readonly order?: 'asc' | 'desc' } = {},
      reading?: Reading,
    ): Promise<Page<AuditEntry>> => get(`${VENDOR}/audit`, reading, page),
  };
}
