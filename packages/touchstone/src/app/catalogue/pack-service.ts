import {
  type AgentDeployments,
  type AgentId,
  type DeploymentState,
  defined,
  HostError,
  isTerminal,
  type Owner,
  RUN_STATUSES,
  type RunId,
  type RunStatus,
  type Version,
} from '@touchstone/protocol';
import { noDeployments } from '../../deployments/index.js';
import type { PackHead, Run, Store } from '../../ports/index.js';

// What an installed pack is used for right now.

/** An agent of a pack that is in service, or could be back in it by one step. */
export type ServedAgent = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly state: DeploymentState;
};

/** What serves of every agent of the pack. */
export const deploymentsOf = (
  store: Store,
  owner: Owner,
  { agents }: PackHead,
): Promise<AgentDeployments[]> =>
  Promise.all(
    agents.map(
      async ({ agentId }) => (await store.deployments.get(owner, agentId)) ?? noDeployments(agentId),
    ),
  );

/** A version that is paused is one step away from service, and where a rollback leads. */
const IN_SERVICE: readonly DeploymentState[] = ['active', 'paused'];

export const servedOf = (
  { version }: PackHead,
  deployments: readonly AgentDeployments[],
): readonly ServedAgent[] =>
  deployments.flatMap(({ agentId, versions }) =>
    versions
      .filter((row) => row.version === version && IN_SERVICE.includes(row.state))
      .map(({ state }) => ({ agentId, version, state })),
  );

/** Why a pack cannot be removed now; undefined when it can. */
export const hindranceOf = async (
  store: Store,
  owner: Owner,
  head: PackHead,
  deployments: readonly AgentDeployments[],
): Promise<HostError | undefined> =>
  servingConflict(head, deployments) ?? (await runningConflict(store, owner, head));

function servingConflict(head: PackHead, deployments: readonly AgentDeployments[]): HostError | undefined {
  const serving = servedOf(head, deployments);
  const [first] = serving;
  if (!first) return undefined;
  return new HostError(
    'conflict',
    `${first.agentId}@${first.version} of this pack is ${first.state}. Roll it back or deprecate it first: touchstone deployments ${first.agentId}`,
    { reason: 'serving', serving },
  );
}

/** Runs that are not over need their agent, also those that wait for an answer. */
async function runningConflict(store: Store, owner: Owner, head: PackHead): Promise<HostError | undefined> {
  for (const { agentId } of head.agents)
    for (const status of RUN_STATUSES.filter((each) => !isTerminal(each))) {
      const runId = await firstRunOf(store, owner, { agentId, status, version: head.version });
      if (runId !== undefined)
        return new HostError(
          'conflict',
          `Run ${runId} of ${agentId}@${head.version} is ${status}. Wait for it, or cancel it.`,
          { reason: 'running', runId },
        );
    }
  return undefined;
}

type RunsOf = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly status: RunStatus;
};

async function firstRunOf(
  { runs }: Store,
  owner: Owner,
  { agentId, version, status }: RunsOf,
): Promise<RunId | undefined> {
  for (let cursor: string | undefined; ; ) {
    const page = await runs.list(owner, { agentId, status, limit: 100, ...defined({ cursor }) });
    const found = page.items.find(({ plan }) => versionIn(plan) === version);
    if (found || page.nextCursor === undefined) return found?.runId;
    cursor = page.nextCursor;
  }
}

function versionIn(plan: Run['plan']): Version | undefined {
  if (plan.kind === 'deployment') return plan.request.version;
  return 'agent' in plan ? plan.agent.version : undefined;
}
