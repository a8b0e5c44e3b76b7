import {
  type AgentId,
  asId,
  type DeploymentPlan,
  type GatePolicy,
  jsonEqual,
  type Owner,
  type Principal,
  type ReasonLabel,
  type TransitionRequest,
  validationError,
} from '@touchstone/protocol';
import type { AgentDeploymentWire } from '@touchstone/protocol/wire';
import { deploymentRecords } from '../../deployments/index.js';
import { ENGINE_VERSION } from '../../engine/index.js';
import type { Engine, Ids, Run, RunOrigin } from '../../ports/index.js';
import { planTransition } from './plan-transition.js';
import { type DecisionParts, servingNow } from './serving.js';

/** Runs that move deployments are all of this workflow. */
export const DEPLOYMENT_WORKFLOW = 'touchstone.deployment';

type DeskParts = DecisionParts & {
  readonly ids: Pick<Ids, 'runId'>;
  /** Takes secrets out of what people write. */
  readonly mask: (text: string) => Promise<string>;
  readonly drive: Engine['drive'];
};

export type Deployments = {
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

export function createDeployments(parts: DeskParts): Deployments {
  const { store } = parts;
  return {
    async list(owner, agentId) {
      const versions = await parts.agents.versions(owner, agentId);
      const serving = await servingNow(parts, owner, agentId);
      if (versions.length === 0 && serving.revision === 0) return undefined;
      return deploymentRecords(serving, versions);
    },
    async transition(principal, agentId, asked, origin, gates = []) {
      checkVersion(asked.version);
      const { reason } = asked;
      const request = reason ? { ...asked, reason: asId<ReasonLabel>(await parts.mask(reason)) } : asked;
      const bound = { ...parts, gates: [...gates, ...parts.gates] };
      const plan = await planTransition(bound, principal, agentId, request);
      const waiting = plan.intent?.approvals.length ? await findWaiting(parts, principal, plan) : undefined;
      if (waiting) return waiting;
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

/** What else could stand behind an `@` leads elsewhere: a channel is no version. */
function checkVersion(version: string): void {
  if (/^\d[A-Za-z0-9._+-]{0,63}$/.test(version)) return;
  const message =
    'Expected a version such as 1.0.0: a digit, then letters, digits and . _ + -, at most 64 in all.';
  throw validationError([{ pointer: '/version', message }]);
}

/** The same principal asking for the same thing again asks no second question. */
async function findWaiting(
  { store }: DeskParts,
  { owner, id }: Principal,
  { agentId, request }: DeploymentPlan,
): Promise<Run | undefined> {
  const filter = { agentId, status: 'waiting-approval', limit: 100 } as const;
  const { items } = await store.runs.list(owner, filter);
  return items.find(
    ({ plan, principal }) =>
      plan.kind === 'deployment' && principal === id && jsonEqual(plan.request as never, request as never),
  );
}
