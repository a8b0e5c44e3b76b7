import {
  type AgentId,
  asId,
  type GatePolicy,
  type Owner,
  type Principal,
  type ReasonLabel,
  type TransitionRequest,
} from '@touchstone/contract';
import type { Engine, Ids, Run, RunOrigin } from '@touchstone/contract/ports';
import type { AgentDeploymentWire } from '@touchstone/contract/wire';
import { ENGINE_VERSION } from '../../engine/index.js';
import { deploymentRecords, noDeployments } from '../../scorecard/index.js';
import { planTransition } from './plan-transition.js';
import type { DecisionParts } from './serving.js';

/** Runs that move deployments are all of this workflow. */
export const DEPLOYMENT_WORKFLOW = 'touchstone.deployment';

type DeskParts = DecisionParts & {
  readonly ids: Pick<Ids, 'runId'>;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
  readonly drive: Engine['drive'];
};

export type DeploymentDesk = {
  /** Every version of an agent with its state; undefined when there is no such agent for this owner. */
  list(owner: Owner, agentId: AgentId): Promise<readonly AgentDeploymentWire[] | undefined>;
  /** What became of the request is told by the run: completed, waiting for people, or failed with the reason. */
  transition(
    principal: Principal,
    agentId: AgentId,
    request: TransitionRequest,
    origin: RunOrigin,
    /** Gates besides those of the configuration, asked before them. */
    gates?: readonly GatePolicy[],
  ): Promise<Run>;
};

export function createDeploymentDesk(parts: DeskParts): DeploymentDesk {
  const { store } = parts;
  return {
    async list(owner, agentId) {
      const versions = await parts.agents.versions(owner, agentId);
      const recorded = await store.deployments.get(owner, agentId);
      if (versions.length === 0 && !recorded) return undefined;
      return deploymentRecords(recorded ?? noDeployments(agentId), versions);
    },
    async transition(principal, agentId, asked, origin, gates = []) {
      const { reason } = asked;
      const request = reason ? { ...asked, reason: asId<ReasonLabel>(await parts.mask(reason)) } : asked;
      const bound = { ...parts, gates: [...gates, ...parts.gates] };
      const plan = await planTransition(bound, principal, agentId, request);
      const created = await store.runs.create({
        runId: parts.ids.runId(),
        owner: principal.owner,
        principal: principal.id,
        origin,
        workflowId: DEPLOYMENT_WORKFLOW,
        plan,
        request: {},
        createdAt: parts.clock.now(),
        engineVersion: ENGINE_VERSION,
      });
      const { runId } = created as Run;
      await parts.drive(principal.owner, runId);
      return (await store.runs.get(principal.owner, runId)) as Run;
    },
  };
}
