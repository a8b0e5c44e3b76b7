import { choice, closed, name, published, text, type Wire } from '../schema/build.js';
import { deploymentState, percent } from './parts.js';

export const agentDeploymentTransition = closed(
  {
    version: text('The version to move.', { maxLength: 64 }),
    transition: choice(['promote', 'pause', 'deprecate', 'rollback', 'adjust-canary'], 'What to do with it.'),
  },
  {
    toState: deploymentState('Where a promotion leads.'),
    channel: text('The channel it concerns.', { minLength: 1, maxLength: 64 }),
    canaryPercent: percent('The share of the traffic it shall get.'),
    evalRunId: name('The eval run that is the proof.'),
    reason: text('Why: a short label.', { minLength: 1, maxLength: 512 }),
  },
  published(
    'agent-deployment-transition',
    'AgentDeploymentTransition',
    'A request to move a version of an agent.',
  ),
);
/** Body of `POST /v1/agents/{agentId}/deployments`: what a caller asks for. */
export type AgentDeploymentTransitionWire = Wire<typeof agentDeploymentTransition>;
