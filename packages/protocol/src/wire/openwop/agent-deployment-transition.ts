import { choice, closed, name, published, text, type Wire } from '../schema/build.js';
import { deploymentState, percent } from './parts.js';

/** The protocol's schema of a request to move a version (RFC 0082). */
export const agentDeploymentTransition = closed(
  {
    /** The version to move, as the agent's author wrote it; at most 64 characters. */
    version: text('The version to move.', { maxLength: 64 }),
    /** `promote` goes one state ahead; all others begin at `active`. See `TRANSITIONS` for what each does. */
    transition: choice(['promote', 'pause', 'deprecate', 'rollback', 'adjust-canary'], 'What to do with it.'),
  },
  {
    /** The state that a promotion leads to; the next one when absent. Other transitions have one target each. */
    toState: deploymentState('Where a promotion leads.'),
    /** The channel that shall serve the version; `stable` when absent. `latest` is computed and cannot be assigned. */
    channel: text('The channel it concerns.', { minLength: 1, maxLength: 64 }),
    /** The share of the channel's traffic, a whole number from 0 to 100; all of it when absent. */
    canaryPercent: percent('The share of the traffic it shall get.'),
    /** The completed eval run offered as evidence. Required where a gate of the target state has `requiredEval`. */
    evalRunId: name('The eval run that is the proof.'),
    /** Why the caller asks. A label: events carry it, so it must hold no content. */
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
