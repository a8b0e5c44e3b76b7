import type { ChannelName, GateId, RunId, Version } from '../../model/ids.js';
import { closed, id, published, set, type Wire } from '../schema/build.js';
import { boundedAgentId, deploymentState, percent } from './parts.js';

export const agentDeployment = closed(
  {
    agentId: boundedAgentId('The agent.'),
    version: id<Version>('Its version.', { maxLength: 64 }),
    state: deploymentState('How far it has come.'),
  },
  {
    canaryPercent: percent('Its share of the traffic while active; all of it when absent.'),
    rollbackPointer: id<Version>('The version that took over when this one was rolled back.', {
      maxLength: 64,
    }),
    channels: set(id<ChannelName>(undefined, { minLength: 1 }), 'The channels that lead to this version.'),
    evalRunId: id<RunId>('The eval run that was the proof for the last step.', { minLength: 1 }),
    approvalGateId: id<GateId>('The gate that let the last step pass.', { minLength: 1 }),
  },
  published(
    'agent-deployment',
    'AgentDeployment',
    'One version of an agent, in service or on its way there.',
  ),
);
/** One version of an agent as the wire shows it. */
export type DeploymentRecord = Wire<typeof agentDeployment>;
