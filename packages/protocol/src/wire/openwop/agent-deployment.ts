import type { ChannelName, GateId, RunId, Version } from '../../model/ids.js';
import { closed, id, published, set, type Wire } from '../schema/build.js';
import { boundedAgentId, deploymentState, percent } from './parts.js';

/** The protocol's schema of one deployed version (RFC 0082). */
export const agentDeployment = closed(
  {
    /** The agent's id, without a version. */
    agentId: boundedAgentId('The agent.'),
    /** The version, as the agent's author wrote it. */
    version: id<Version>('Its version.', { maxLength: 64 }),
    /** How far the version has come. A version that was never moved is a `draft`. */
    state: deploymentState('How far it has come.'),
  },
  {
    /** Its share of its channels' traffic while `active`, from 0 to 100; all of it when absent. */
    canaryPercent: percent('Its share of the traffic while active; all of it when absent.'),
    /** The version that serves in its place. Present only in state `rolled-back`. */
    rollbackPointer: id<Version>('The version that took over when this one was rolled back.', {
      maxLength: 64,
    }),
    /** The channels that lead to this version now; absent when none does. */
    channels: set(id<ChannelName>(undefined, { minLength: 1 }), 'The channels that lead to this version.'),
    /** The eval run that was the evidence of its last move forward; absent when no gate asked for one. */
    evalRunId: id<RunId>('The eval run that was the proof for the last step.', { minLength: 1 }),
    /** The gate whose approvers agreed to its last move forward; absent when none had to. */
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
