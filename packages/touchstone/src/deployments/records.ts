import {
  type AgentDeployments,
  asId,
  CHANNELS,
  type ChannelName,
  type DeployedVersion,
  type DeploymentRecord,
  type Version,
} from '@touchstone/protocol';
import { compareForList, shares } from './channels.js';
import { rowOf } from './picture.js';

/** One record per version that is known or has been moved, by SemVer precedence. */
export function deploymentRecords(
  deployments: AgentDeployments,
  known: readonly Version[],
): readonly DeploymentRecord[] {
  const versions = new Set([...known, ...deployments.versions.map(({ version }) => version)]);
  const channelsTo = invertChannels(deployments);
  return [...versions]
    .sort(compareForList)
    .map((version) => describe(deployments, version, channelsTo.get(version)));
}

function describe(
  deployments: AgentDeployments,
  version: Version,
  channels: readonly ChannelName[] | undefined,
): DeploymentRecord {
  const row = rowOf(deployments, version);
  return {
    agentId: deployments.agentId,
    version,
    state: row?.state ?? 'draft',
    ...(row && shareOf(row)),
    ...(row?.rollbackPointer && { rollbackPointer: row.rollbackPointer }),
    ...(channels && { channels }),
    ...(row?.evalRunId && { evalRunId: row.evalRunId }),
    ...(row?.approvalGateId && { approvalGateId: row.approvalGateId }),
  };
}

/** A paused version remembers its share for when it comes back, but has none meanwhile. */
const shareOf = ({ state, canaryPercent }: DeployedVersion): Pick<DeploymentRecord, 'canaryPercent'> =>
  state === 'active' && canaryPercent !== undefined ? { canaryPercent } : {};

function invertChannels(deployments: AgentDeployments): ReadonlyMap<Version, readonly ChannelName[]> {
  const found = new Map<Version, readonly ChannelName[]>();
  for (const channel of CHANNELS)
    for (const { version } of shares(deployments, channel))
      found.set(version, [...(found.get(version) ?? []), asId<ChannelName>(channel)]);
  return found;
}
