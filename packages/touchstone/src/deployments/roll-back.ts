import type { AgentDeployments, DeployedVersion, Issue, Move } from '@touchstone/protocol';
import { ASSIGNED_CHANNELS, lineOf, offChannels, onChannel, rowOf, servingOn, withRow } from './picture.js';
import { gateOf, type Step, stateChanged, withShare } from './step.js';

/** The version leaves all its channels for good, and the one before it takes over with all of the traffic. */
export function rollBack(step: Step): Move | Issue {
  const { current, row, to, request } = step;
  const target = findTarget(step);
  if ('pointer' in target) return target;
  const { agentId } = current;
  const left: DeployedVersion = { ...row, ...gateOf(step), state: to, rollbackPointer: target.version };
  const restored = withShare({ ...target, state: 'active' }, undefined);
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

/** The nearest earlier version on the channel that serves or could serve again, and is there to do so. */
function findTarget({ current, row: { version }, request, facts }: Step): DeployedVersion | Issue {
  const on = ASSIGNED_CHANNELS.filter((name) => lineOf(current, name).includes(version));
  const channel = request.channel ?? on[0];
  if (channel === undefined) return nowhereToGo('/version', `${version} is on no channel`);
  const line = lineOf(current, channel);
  if (!line.includes(version)) return otherChannel(version, channel, on);
  const earlier = line.slice(0, line.indexOf(version)).flatMap((each) => rowOf(current, each) ?? []);
  const target = earlier.findLast(
    ({ state, version: each }) =>
      (state === 'active' || state === 'paused') && (facts.installed?.includes(each) ?? true),
  );
  return target ?? nowhereToGo('/channel', `No version before ${version} on ${channel} is active or paused`);
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

const nowhereToGo = (pointer: string, fact: string): Issue => ({
  pointer,
  message: `${fact}, so there is nothing to roll back to. Pause or deprecate the version, or promote another one.`,
});

const otherChannel = (version: string, channel: string, on: readonly string[]): Issue => ({
  pointer: '/channel',
  message: `Expected a channel that ${version} is on (${on.join(', ') || 'it is on none'}), got ${channel}. Name one of those, or none.`,
});
