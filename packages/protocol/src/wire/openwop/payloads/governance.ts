import { closed, count, flag, integer, name, text } from '../../schema/build.js';
import { deploymentState, percent } from '../parts.js';

const vote = { gateId: name('The gate.'), principal: name('Who.') };
const agent = { agentId: name('The agent.') };
const version = () => name('The version.');

/** Who may, who agreed, and what moved because of it. */
export const governancePayloads = {
  'authorization.decided': closed(
    {
      principal: name('Who asked.'),
      action: name('To do what.'),
      resource: name('To what.'),
      allowed: flag('Whether they may.'),
    },
    { reason: text('Why.') },
  ),
  'approval.granted': closed(vote, {
    quorumProgress: closed(
      {},
      { granted: count('How many agree.'), required: integer('How many must.', { minimum: 1 }) },
      { description: 'How far the gate is.' },
    ),
  }),
  'approval.rejected': closed(vote, { reason: text('Why.') }),
  'approval.overridden': closed({ ...vote, reason: name('Why; an override is never without a reason.') }),
  'deployment.promoted': closed(
    { ...agent, toVersion: version(), toState: deploymentState('Where it is now.') },
    {
      fromVersion: name('The version it replaces.'),
      channel: name('The channel.'),
      canaryPercent: percent('Its share of the traffic.'),
      evalRunId: name('The eval run that was the proof.'),
      approvalGateId: name('The gate it passed.'),
    },
  ),
  'deployment.rolled-back': closed(
    {
      ...agent,
      fromVersion: name('The version that left.'),
      toVersion: name('The version that serves again.'),
      rollbackPointer: name('Where the rollback led.'),
    },
    { reason: name('Why: a short label.') },
  ),
  'deployment.canary.adjusted': closed({
    ...agent,
    version: version(),
    fromPercent: percent('Its share before.'),
    toPercent: percent('Its share now.'),
  }),
  'deployment.state.changed': closed({
    ...agent,
    version: version(),
    fromState: deploymentState('Where it was.'),
    toState: deploymentState('Where it is.'),
  }),
};
