import { closed, name, published, set, text, type Wire } from '../schema/build.js';
import { boundedAgentId, deploymentState, percent } from './parts.js';

export const agentDeployment = closed(
  {
    agentId: boundedAgentId('The agent.'),
    version: text('Its version.', { maxLength: 64 }),
    state: deploymentState('How far it has come.'),
  },
  {
    canaryPercent: percent('Its share of the traffic while active; all of it when absent.'),
    rollbackPointer: text('The version that took over when this one was rolled back.', { maxLength: 64 }),
    channels: set(name(), 'The channels that lead to this version.'),
    evalRunId: name('The eval run that was the proof for the last step.'),
    approvalGateId: name('The gate that let the last step pass.'),
  },
  published(
    'agent-deployment',
    'AgentDeployment',
    'One version of an agent, in service or on its way there.',
  ),
);
export type AgentDeploymentWire = Wire<typeof agentDeployment>;
