import type { AgentDeployments, AgentId, Owner } from '@touchstone/protocol';

/** What serves. It is changed only together with the events that say so: see `Commit.deployments`. */
export type Deployments = {
  /** Undefined while no version of the agent has been moved. */
  get(owner: Owner, agentId: AgentId): Promise<AgentDeployments | undefined>;
};

/** Rejection of a change that was decided on an older picture. Nothing of its commit is kept. */
export class DeploymentsMoved extends Error {
  constructor(agentId: AgentId) {
    super(`The deployments of ${agentId} have changed in the meantime.`);
    this.name = 'DeploymentsMoved';
  }
}
