import { closed, count, flag, integer, name, text } from '../../schema/build.js';
import { deploymentState, percent } from '../parts.js';

/** What every vote event names. */
const vote = {
  /** The gate of the host's configuration that the vote is about. */
  gateId: name('The gate.'),
  /** Who voted: an opaque id. */
  principal: name('Who.'),
};
/** The agent that a deployment event is about. */
const agent = {
  /** The agent's id, without a version. */
  agentId: name('The agent.'),
};
/** The version that a deployment event is about. */
const version = () => name('The version.');

/** Who may, who agreed, and what moved because of it. */
export const governancePayloads = {
  /** Whether the principal has the scope that the action needs. */
  'authorization.decided': closed(
    {
      /** The principal who sent the request. */
      principal: name('Who asked.'),
      /** A scope, as `<area>:<action>`, e.g. `deploy:promote`. */
      action: name('To do what.'),
      /** To what. E.g. `agents/<agentId>@<version>`. */
      resource: name('To what.'),
      /** Whether the principal has the scope. `false` ends the run with `forbidden`. */
      allowed: flag('Whether they may.'),
    },
    {
      /** Why it was refused, as a label; absent when the action was allowed. */
      reason: text('Why.'),
    },
  ),
  /** One principal agrees. */
  'approval.granted': closed(vote, {
    /** The state of the round after this vote. */
    quorumProgress: closed(
      {},
      {
        /** Principals who have agreed in this round. */
        granted: count('How many agree.'),
        /** The quorum of the gate. */
        required: integer('How many must.', { minimum: 1 }),
      },
      { description: 'How far the gate is.' },
    ),
  }),
  /** One principal refuses, which ends the round. */
  'approval.rejected': closed(vote, {
    /** Why the approver refused, in their words; absent when they gave no reason. */
    reason: text('Why.'),
  }),
  /** A principal with the override role decides alone. */
  'approval.overridden': closed({ ...vote, reason: name('Why; an override is never without a reason.') }),
  /** A version moved one state ahead. */
  'deployment.promoted': closed(
    {
      ...agent,
      /** The version that moved. */
      toVersion: version(),
      /** Its state after the move. */
      toState: deploymentState('Where it is now.'),
    },
    {
      /** The version that served on the channel before; absent when none did. */
      fromVersion: name('The version it replaces.'),
      /** The channel. Absent while the version is not active. */
      channel: name('The channel.'),
      /** Its share of the traffic, from 0 to 100; all of it when absent. */
      canaryPercent: percent('Its share of the traffic.'),
      /** The eval run that was the proof. Absent when no gate asked for evidence. */
      evalRunId: name('The eval run that was the proof.'),
      /** The gate whose approvers agreed; absent when no gate asked for approvals. */
      approvalGateId: name('The gate it passed.'),
    },
  ),
  /** A version no longer serves. */
  'deployment.rolled-back': closed(
    {
      ...agent,
      /** The version whose state is now `rolled-back`. */
      fromVersion: name('The version that left.'),
      /** The version that takes its traffic. */
      toVersion: name('The version that serves again.'),
      /** Where the rollback led. Equal to `toVersion`, as the record of `fromVersion` keeps it. */
      rollbackPointer: name('Where the rollback led.'),
    },
    {
      /** Why, as a short label; absent when the caller gave none. */
      reason: name('Why: a short label.'),
    },
  ),
  /** A version's share of the traffic changed. */
  'deployment.canary.adjusted': closed({
    ...agent,
    version: version(),
    /** Its share before. From 0 to 100. */
    fromPercent: percent('Its share before.'),
    /** Its share now. From 0 to 100. */
    toPercent: percent('Its share now.'),
  }),
  /** A version was paused or deprecated. */
  'deployment.state.changed': closed({
    ...agent,
    version: version(),
    /** The state before the change; always `active`. */
    fromState: deploymentState('Where it was.'),
    /** The state after it: `paused` or `deprecated`. */
    toState: deploymentState('Where it is.'),
  }),
};
