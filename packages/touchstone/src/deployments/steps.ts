import type {
  AgentDeployments,
  DeployedVersion,
  DeploymentEvent,
  DeploymentState,
  Digest,
  GateId,
  Issue,
  Move,
  TransitionRequest,
  Version,
} from '@touchstone/protocol';
import { byRank, mainVersionOf } from './channels.js';
import { ASSIGNED_CHANNELS, lineOf, offChannels, onChannel, rowOf, servingOn, withRow } from './picture.js';

/** What is known about a transition besides the request itself. */
export type MoveFacts = {
  /** Of the agent as it is now. */
  readonly digest: Digest;
  /** The gate that people let it pass, when there is one. */
  readonly approvalGateId?: GateId;
  /** Versions that are there to serve; all that are recorded when absent. */
  readonly installed?: readonly Version[];
};

/** A transition that is possible: of which version, from what picture, to where. */
export type Step = {
  readonly current: AgentDeployments;
  readonly row: DeployedVersion;
  readonly to: DeploymentState;
  readonly request: TransitionRequest;
  readonly facts: MoveFacts;
};

type Proof = Pick<DeployedVersion, 'evalRunId' | 'approvalGateId'>;

/** What this very transition rests on. */
const proofOf = (step: Step): Proof => {
  const { evalRunId } = step.request;
  return { ...(evalRunId && { evalRunId }), ...gateOf(step) };
};

export const gateOf = ({ facts: { approvalGateId } }: Step): Pick<Proof, 'approvalGateId'> =>
  approvalGateId ? { approvalGateId } : {};

/** The whole of the traffic is written as no share at all, so that one picture has one spelling. */
const shareOf = (percent: number | undefined): Pick<DeployedVersion, 'canaryPercent'> =>
  percent === undefined || percent === 100 ? {} : { canaryPercent: percent };

export const withShare = (
  { canaryPercent: _before, ...row }: DeployedVersion,
  percent: number | undefined,
): DeployedVersion => ({ ...row, ...shareOf(percent) });

export const stateChanged = (
  { agentId }: AgentDeployments,
  { version, state }: DeployedVersion,
  toState: DeploymentState,
): DeploymentEvent => ({
  type: 'deployment.state.changed',
  payload: { agentId, version, fromState: state, toState },
});

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

/** The version leaves all its channels for good, and the one before it takes over. */
export function rollBack(step: Step): Move | Issue {
  const { current, row, to, request } = step;
  const target = findTarget(step);
  if ('pointer' in target) return target;
  const { agentId } = current;
  const left: DeployedVersion = { ...row, ...gateOf(step), state: to, rollbackPointer: target.version };
  const restored = takingOver(step, target);
  const payload = {
    agentId,
    fromVersion: row.version,
    toVersion: target.version,
    rollbackPointer: target.version,
    ...(request.reason && { reason: request.reason }),
  };
  return {
    next: fillChannels(
      current,
      row,
      restored,
      withRow(withRow(offChannels(current, row.version), left), restored),
    ),
    events: [
      { type: 'deployment.rolled-back', payload },
      ...(target.state === 'active' ? [] : [stateChanged(current, target, 'active')]),
    ],
  };
}

const channelsOf = ({ current, row: { version } }: Step): readonly string[] =>
  ASSIGNED_CHANNELS.filter((name) => lineOf(current, name).includes(version));

/** It gets all of the channels that the version leaves. If it left none, nothing of what channels lead to may change. */
const takingOver = (step: Step, target: DeployedVersion): DeployedVersion => {
  const active: DeployedVersion = { ...target, state: 'active' };
  return channelsOf(step).length > 0 ? withShare(active, undefined) : active;
};

/**
 * The nearest earlier version on the channel that serves or could serve again, and is there to do so. A version that was
 * put on no channel serves on `latest`.
 */
function findTarget(step: Step): DeployedVersion | Issue {
  const { current, request, facts } = step;
  const { version } = step.row;
  const on = channelsOf(step);
  const channel = request.channel ?? on[0] ?? 'latest';
  const line = channel === 'latest' ? byRank(current) : lineOf(current, channel);
  if (!line.includes(version)) return otherChannel(version, channel, on);
  const earlier = line.slice(0, line.indexOf(version)).flatMap((each) => rowOf(current, each) ?? []);
  const target = earlier.findLast(
    ({ state, version: each }) =>
      (state === 'active' || state === 'paused') && (facts.installed?.includes(each) ?? true),
  );
  return target ?? nowhereToGo(`No version before ${version} on ${channel} is active or paused`);
}

/** A channel that the version headed and that would be left without anyone gets the one that takes over. */
function fillChannels(
  before: AgentDeployments,
  { version: gone }: DeployedVersion,
  { version: taker }: DeployedVersion,
  after: AgentDeployments,
): AgentDeployments {
  const emptied = ASSIGNED_CHANNELS.filter(
    (name) => servingOn(before, name)[0]?.version === gone && servingOn(after, name).length === 0,
  );
  return emptied.reduce((filled, name) => onChannel(filled, name, taker), after);
}

const nowhereToGo = (fact: string): Issue => ({
  pointer: '/channel',
  message: `${fact}, so there is nothing to roll back to. Pause or deprecate the version, or promote another one.`,
});

const otherChannel = (version: string, channel: string, on: readonly string[]): Issue => ({
  pointer: '/channel',
  message: `Expected a channel that ${version} is on (${on.join(', ') || 'it is on none'}), got ${channel}. Name one of those, or none.`,
});
