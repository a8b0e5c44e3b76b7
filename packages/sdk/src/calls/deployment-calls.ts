import type {
  AgentVersion,
  AuditCheckpoint,
  AuditVerdict,
  BoardAgent,
  InterruptQuestion,
  InterruptToken,
  Json,
  MoveReview,
  NewInterruptToken,
  Page,
  ResolvedInterrupt,
  RunId,
  RunStatus,
} from '@touchstone/protocol';
import { runPath } from '../stream.js';
import type { Transport } from '../transport.js';
import type { AuditEntry, Deployment, TransitionDeployment, TransitionedDeployment } from '../types.js';
import { at, type Get, type PageQuery, post, posting, type Reading, type Sending, VENDOR } from './calls.js';

/** The header in which a Touchstone host names the run that records a transition. */
const RUN_HEADER = 'touchstone-run-id';

const deploymentsOf = (agentId: string): string => `/v1/agents/${at(agentId)}/deployments`;

/** Calls on deployments of agents. */
export function deploymentCalls(transport: Transport, get: Get) {
  return {
    /** One record per version of an agent, by version. A version that was never moved is a draft. */
    list: (agentId: string, reading?: Reading): Promise<readonly Deployment[]> =>
      get(deploymentsOf(agentId), reading),
    /** The digest of every version of an agent, as installed now and as deployed. They differ when files changed. */
    versions: (agentId: string, reading?: Reading): Promise<Page<AgentVersion>> =>
      get(`${VENDOR}/agents/${at(agentId)}/versions`, reading),
    /** All agents by id: their versions, what serves, and what waits for people. */
    board: (
      query: PageQuery & {
        /** Only this agent. */
        readonly agentId?: string;
      } = {},
      reading?: Reading,
    ): Promise<Page<BoardAgent>> => get(`${VENDOR}/deployments`, reading, query),
    /** What the host would decide about a move now: gates, evidence, people, and what would serve. Records nothing. */
    review: (agentId: string, move: ReviewedMove, reading?: Reading): Promise<MoveReview> =>
      get(`${VENDOR}/agents/${at(agentId)}/gates`, reading, move),
    /**
     * Asks for a move of one version. Resolves when it is done, or with `waiting` when people have to approve first.
     * Throws `HostResponseError` when it is refused, e.g. with `eval_gate_unmet`; `details.runId` names the run that
     * records the refusal.
     */
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

/** A move that is thought about. */
export type ReviewedMove = {
  /** The version that would move. */
  readonly version: string;
  /** Where it would go; one state ahead when absent. States on the way are walked through. */
  readonly to?: 'test' | 'staged' | 'active' | 'paused' | 'deprecated' | 'rolled-back';
  /** The channel, for a move to active or a rollback. */
  readonly channel?: 'stable' | 'canary';
  /** The share that it would get; without `to`, a change of its share. */
  readonly canaryPercent?: number;
  /** The eval run that would be named as proof. */
  readonly evalRunId?: string;
};

/** The record, with the run that waits while people are asked. */
type PendingDeployment = Deployment & {
  readonly touchstone?: { readonly runId: RunId; readonly status: RunStatus };
};

/** Calls on questions that runs ask people. */
export function interruptCalls(transport: Transport, get: Get) {
  return {
    /**
     * Answers the question that a node of a run has asked, in the name of the key's principal.
     * @param resumeValue Must fit the question's `resumeSchema`; refused with `INVALID_RESUME_VALUE` otherwise.
     */
    resolve: (
      runId: RunId,
      nodeId: string,
      resumeValue: Json,
      sending?: Sending,
    ): Promise<ResolvedInterrupt> =>
      post(transport, `${runPath(runId)}/interrupts/${at(nodeId)}`, { resumeValue }, sending),
    /** Makes a link by which the question can be answered, or looked at, without a key. */
    createToken: (
      runId: RunId,
      nodeId: string,
      options: NewInterruptToken = {},
      sending?: Sending,
    ): Promise<InterruptToken> =>
      post(transport, `${VENDOR}/runs/${at(runId)}/interrupts/${at(nodeId)}/tokens`, options, sending),
    /** The question behind a link. Needs no key. */
    inspect: (token: string, reading?: Reading): Promise<InterruptQuestion> =>
      get(`/v1/interrupts/${at(token)}`, reading),
    /** Answers the question behind a link, in the name of the principal who made the link. Needs no key. */
    resolveByToken: (token: string, resumeValue: Json, sending?: Sending): Promise<ResolvedInterrupt> =>
      post(transport, `/v1/interrupts/${at(token)}`, { resumeValue }, sending),
  };
}

/** Reads of the audit log of the key's tenant and workspace. */
export function auditCalls(transport: Transport, get: Get) {
  return {
    /** Has the host sign the head of the log as it is now. Keep the envelope where the operator cannot reach it. */
    checkpoint: (sending?: Sending): Promise<AuditCheckpoint> =>
      post(transport, `${VENDOR}/audit/checkpoints`, {}, sending),
    /** The checkpoints that the host has made, by the record that they cover. */
    checkpoints: (
      query: {
        /** Only those that cover this record. */
        readonly fromSeq?: number;
        /** The most, those of the earliest records. */
        readonly limit?: number;
      } = {},
      reading?: Reading,
    ): Promise<Page<AuditCheckpoint>> => get(`${VENDOR}/audit/checkpoints`, reading, query),
    /**
     * Whether the digests of the audit log form an unbroken chain. Keep `head` elsewhere to notice a log that lost
     * its end.
     */
    verify: (reading?: Reading): Promise<AuditVerdict> => get('/v1/audit/verify', reading),
    /** Records of the audit log, oldest first unless `order` is `desc`. */
    list: (
      page: PageQuery & {
        readonly order?: 'asc' | 'desc';
        /** Only records of this run. */
        readonly runId?: string;
        /** Only records about this agent, one of its versions, or a run of it. */
        readonly agentId?: string;
      } = {},
      reading?: Reading,
    ): Promise<Page<AuditEntry>> => get(`${VENDOR}/audit`, reading, page),
  };
}
