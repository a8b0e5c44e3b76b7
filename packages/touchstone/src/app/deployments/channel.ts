import {
  type AgentId,
  asId,
  CHANNELS,
  type ChannelName,
  type DeployedVersion,
  HostError,
  type Owner,
  validationError,
} from '@touchstone/protocol';
import { resolveChannel } from '../../deployments/index.js';
import type { Random, Store } from '../../ports/index.js';
import type { FindAgent } from '../catalogue/entries.js';

/** The version that serves on a channel, drawn once per request. */
export type OnChannel = (owner: Owner, agentId: AgentId, channel: string) => Promise<DeployedVersion>;

export function createOnChannel(store: Pick<Store, 'deployments'>, random: Random): OnChannel {
  return async (owner, agentId, channel) => {
    if (!(CHANNELS as readonly string[]).includes(channel)) {
      const message = `There is no channel "${channel}". Known are ${CHANNELS.join(', ')}.`;
      throw validationError([{ pointer: '/agentId', message }], { field: 'agentId' });
    }
    const deployments = await store.deployments.get(owner, agentId);
    const name = asId<ChannelName>(channel);
    const version = deployments && resolveChannel(deployments, name, random());
    if (!version) throw noActiveDeployment(agentId, `No version serves on channel ${channel}.`);
    return version;
  };
}

export const noActiveDeployment = (agentId: string, what: string, reason?: string): HostError =>
  new HostError(
    'no_active_deployment',
    `Agent ${agentId}: ${what} Put one there: touchstone promote ${agentId}@<version> --channel <channel>`,
    { field: 'agentId', agentId, ...(reason !== undefined && { reason }) },
  );

/** The same parts, for a caller that has been led to its agent by a channel. */
export function withChannel<T extends { readonly findAgent: FindAgent }>(
  parts: T,
  channel: ChannelName | undefined,
): T {
  if (channel === undefined) return parts;
  const findAgent: FindAgent = async (owner, reference) => {
    const found = await parts.findAgent(owner, reference);
    return found && { ...found, channel };
  };
  return { ...parts, findAgent };
}
