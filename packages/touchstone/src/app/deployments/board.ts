import {
  type AgentDeployments,
  type AgentId,
  asId,
  type BoardAgent,
  type BoardChannel,
  CHANNELS,
  defined,
  type Owner,
  type Page,
  type PendingMove,
  type PrincipalId,
  timestampOf,
} from '@touchstone/protocol';
import { deploymentRecords, rowOf, shares, stateOf, targetState } from '../../deployments/index.js';
import type { Interrupts, Run } from '../../ports/index.js';
import { type DecisionParts, servingNow } from './serving.js';

export type BoardParts = DecisionParts & { readonly approvalOf: Interrupts['approval'] };

/** How many questions to people are looked at, the newest first. */
const LOOK = 200;

/** Which agents: a page of all of them, or one. A cursor is the id of the last one before. */
export type BoardQuery = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly agentId?: string | undefined;
};

/** The agents of an owner by id, with all that is known of their deployments. */
export async function readBoard(
  parts: BoardParts,
  owner: Owner,
  { cursor = '', limit, agentId: only }: BoardQuery,
): Promise<Page<BoardAgent>> {
  const known = (await parts.agents.list(owner)).map(({ facts }) => facts.agentId);
  const moved = await parts.store.deployments.agentIds(owner);
  const all = [...new Set([...known, ...moved])]
    .filter((agentId) => agentId > cursor && (only === undefined || agentId === only))
    .sort();
  const shown = all.slice(0, limit);
  const waiting = await parts.store.runs.list(owner, { status: 'waiting-approval', limit: LOOK });
  const items = await Promise.all(
    shown.map((agentId) => describeAgent(parts, owner, agentId, waiting.items)),
  );
  return { items, ...(all.length > limit && { nextCursor: shown.at(-1) as string }) };
}

async function describeAgent(
  parts: BoardParts,
  owner: Owner,
  agentId: AgentId,
  waiting: readonly Run[],
): Promise<BoardAgent> {
  const serving = await servingNow(parts, owner, agentId);
  const versions = await parts.agents.versions(owner, agentId);
  const pending = await Promise.all(
    waiting
      .filter(({ plan }) => plan.kind === 'deployment' && plan.agentId === agentId)
      .map((run) => pendingMove(parts, run, serving)),
  );
  return {
    agentId,
    revision: serving.revision,
    versions: deploymentRecords(serving, versions).map(({ agentId: _, ...record }) => {
      const { digest, since } = rowOf(serving, record.version) ?? {};
      return { ...record, ...defined({ digest, since: since === undefined ? since : timestampOf(since) }) };
    }),
    channels: channelsOf(serving),
    pending: pending.flatMap((move) => move ?? []),
  };
}

/** Which versions serve, and with which part of the runs. */
export const channelsOf = (serving: AgentDeployments): readonly BoardChannel[] =>
  CHANNELS.map((name) => ({
    name,
    line: shares(serving, name).map(({ version, share }) => ({ version, percent: percentOf(share) })),
  }));

/** Shares are products of percentages; more than two digits are noise. */
const percentOf = (share: number): number => Math.round(share * 10_000) / 100;

async function pendingMove(
  { approvalOf }: BoardParts,
  { owner, runId, plan, principal, createdAt, waitUntil }: Run,
  serving: AgentDeployments,
): Promise<PendingMove | undefined> {
  const open = await approvalOf(owner, runId);
  if (!open || plan.kind !== 'deployment') return undefined;
  const { request } = plan;
  const { version } = request;
  const to = targetState(request, stateOf(serving, version)) ?? stateOf(serving, version);
  return {
    runId,
    version,
    to,
    by: asId<PrincipalId>(principal),
    at: timestampOf(createdAt),
    gateId: open.policy.gateId,
    granted: open.granted,
    quorum: open.policy.quorum,
    ...(waitUntil !== undefined && { until: timestampOf(waitUntil) }),
  };
}
