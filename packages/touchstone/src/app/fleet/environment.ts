import { createHash } from 'node:crypto';
import { asId, canonicalJson, type Digest, type Json } from '@touchstone/protocol';
import type { AgentFacts } from '../../ports/index.js';
import type { Config } from '../config/config.js';

/**
 * Digest of what a process brings along besides the store. A run is executed by processes with the digest of the one that
 * created it. Names of variables are in it and their values are not: a key may be renewed on one process after the other.
 */
export function environmentDigest(
  config: Config,
  agents: readonly AgentFacts[],
  safety: Digest | undefined,
): Digest {
  const { providers, modelClasses, models, prices, judge, embedder, tools, mcpServers, scorers } = config;
  const known = agents.map(({ agentId, version, digest }) => [agentId, version, digest].join(' ')).sort();
  const settings = { providers, modelClasses, models, prices, judge, embedder, tools, mcpServers, scorers };
  // Written and read again: members that are not set are not part of it.
  const value = JSON.parse(JSON.stringify({ agents: known, safety, ...settings })) as Json;
  return asId<Digest>(`sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`);
}
