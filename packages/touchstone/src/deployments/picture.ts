import type {
  AgentDeployments,
  AgentId,
  DeployedVersion,
  DeploymentState,
  Version,
} from '@touchstone/protocol';

/** The channels that versions are put on. `latest` is not one of them: it follows from what is active. */
export const ASSIGNED_CHANNELS = ['stable', 'canary'] as const;

/** An agent of which no version has been moved. */
export const noDeployments = (agentId: AgentId): AgentDeployments => ({
  agentId,
  revision: 0,
  versions: [],
  channels: {},
});

export const rowOf = ({ versions }: AgentDeployments, version: Version): DeployedVersion | undefined =>
  versions.find((row) => row.version === version);

/** A version without a row is a draft. */
export const stateOf = (deployments: AgentDeployments, version: Version): DeploymentState =>
  rowOf(deployments, version)?.state ?? 'draft';

/** Versions of a channel, the newest last. A channel is a name from outside, which may be a name that every object has. */
export const lineOf = ({ channels }: AgentDeployments, channel: string): readonly Version[] =>
  Object.hasOwn(channels, channel) ? (channels[channel] ?? []) : [];

/** Those of its line that serve, the newest first. */
export const servingOn = (deployments: AgentDeployments, channel: string): readonly DeployedVersion[] =>
  lineOf(deployments, channel)
    .flatMap((version) => rowOf(deployments, version) ?? [])
    .filter(({ state }) => state === 'active')
    .reverse();

export function withRow(deployments: AgentDeployments, row: DeployedVersion): AgentDeployments {
  const { versions } = deployments;
  const isNew = rowOf(deployments, row.version) === undefined;
  const replaced = versions.map((each) => (each.version === row.version ? row : each));
  return { ...deployments, versions: isNew ? [...versions, row] : replaced };
}

/** At the end of the line, once: a version that is put on a channel again is the newest there. */
export const onChannel = (
  deployments: AgentDeployments,
  channel: string,
  version: Version,
): AgentDeployments => ({
  ...deployments,
  channels: {
    ...deployments.channels,
    [channel]: [...lineOf(deployments, channel).filter((each) => each !== version), version],
  },
});

export const offChannels = (deployments: AgentDeployments, version: Version): AgentDeployments => ({
  ...deployments,
  channels: Object.fromEntries(
    Object.entries(deployments.channels).map(([channel, line]) => [
      channel,
      line.filter((each) => each !== version),
    ]),
  ),
});
