import type { AgentDeployments, DeployedVersion, DeploymentEvent, Issue, Move } from '@touchstone/protocol';
import { mainVersionOf } from './channels.js';
import { onChannel, withRow } from './picture.js';
import { proofOf, type Step, shareOf, stateChanged, withShare } from './step.js';

/** A step towards service. What an earlier step rested on is no proof for this one, so it is not carried along. */
export function promote(step: Step): Move {
  const { row, to, request, facts } = step;
  const moved: DeployedVersion = {
    version: row.version,
    state: to,
    digest: facts.digest,
    ...shareOf(request.canaryPercent),
    ...proofOf(step),
  };
  return { next: place(step, moved), events: [promoted(step, moved)] };
}

/**
 * From paused to active: on the channels and with the share it had. If the request names others, that is a promotion as
 * well, and a second event says where to. Other bytes than those that were paused have never been let in.
 */
export function comeBack(step: Step): Move | Issue {
  const { current, row, to, request, facts } = step;
  if (row.digest !== facts.digest) return changedSince(row);
  const { channel, canaryPercent = row.canaryPercent } = request;
  const moved = withShare({ ...row, state: to, ...proofOf(step) }, canaryPercent);
  const isPlaced = channel !== undefined || request.canaryPercent !== undefined;
  return {
    next: place(step, moved),
    events: [stateChanged(current, row, to), ...(isPlaced ? [promoted(step, moved)] : [])],
  };
}

/** An active version on one more channel: it stays what it was let in as. */
export function spread(step: Step): Move | Issue {
  const { row, request, facts } = step;
  if (row.digest !== facts.digest) return changedSince(row);
  const moved = withShare({ ...row, ...proofOf(step) }, request.canaryPercent);
  return { next: place(step, moved), events: [promoted(step, moved)] };
}

function place({ current, request: { channel } }: Step, moved: DeployedVersion): AgentDeployments {
  const next = withRow(current, moved);
  return channel === undefined ? next : onChannel(next, channel, moved.version);
}

function promoted(step: Step, { version, state, canaryPercent }: DeployedVersion): DeploymentEvent {
  const { current, request } = step;
  const { channel } = request;
  const fromVersion = channel === undefined ? undefined : mainVersionOf(current, channel);
  return {
    type: 'deployment.promoted',
    payload: {
      agentId: current.agentId,
      toVersion: version,
      toState: state,
      ...(fromVersion !== undefined && fromVersion !== version && { fromVersion }),
      ...(channel !== undefined && { channel }),
      ...shareOf(canaryPercent),
      ...proofOf(step),
    },
  };
}

const changedSince = ({ version, digest }: DeployedVersion): Issue => ({
  pointer: '/version',
  message: `Expected the agent that was let in as ${version} (${digest}), but its files or settings have changed since. Give the changed agent a version of its own and promote that.`,
});
