import type { AgentDeployments, DeployedVersion, Version } from '@touchstone/protocol';
import { rowOf, servingOn } from './picture.js';
import { compareByRank } from './version-order.js';

export type Share = { readonly version: Version; readonly share: number };

/**
 * Which part of a channel's runs each version gets, the newest first; versions that get nothing are left out. The newest
 * takes its percentage, the one before takes its percentage of the rest, and so on; the oldest takes what is left, so
 * that the shares add up to 1 whenever anything serves.
 */
export function shares(deployments: AgentDeployments, channel: string): readonly Share[] {
  if (channel === 'latest') return latestOf(deployments).map(({ version }) => ({ version, share: 1 }));
  const serving = servingOn(deployments, channel);
  let rest = 1;
  return serving.flatMap(({ version, canaryPercent = 100 }, place) => {
    const takesAll = canaryPercent === 100 || place === serving.length - 1;
    const share = takesAll ? rest : (rest * canaryPercent) / 100;
    rest -= share;
    return share > 0 ? [{ version, share }] : [];
  });
}

/**
 * The version that a run gets for a draw from 0 up to but not including 1; undefined when nothing serves. Taking the
 * shares off the draw one by one is the same as asking each version in turn with the draw scaled to what is left.
 */
export function resolveChannel(
  deployments: AgentDeployments,
  channel: string,
  draw: number,
): DeployedVersion | undefined {
  const dealt = shares(deployments, channel);
  let left = draw;
  const taker = dealt.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  // Rounding can leave a sliver below 1 that no share covers: it is the oldest one's, like the rest.
  const found = taker ?? dealt.at(-1);
  return found && rowOf(deployments, found.version);
}

/** The version that gets most of a channel's runs; of equals, the newest. */
export const mainVersionOf = (deployments: AgentDeployments, channel: string): Version | undefined =>
  shares(deployments, channel).reduce<Share | undefined>(
    (most, each) => (most && most.share >= each.share ? most : each),
    undefined,
  )?.version;

/** The highest active version, whatever channel it is on; none or one. */
const latestOf = ({ versions }: AgentDeployments): readonly DeployedVersion[] =>
  versions
    .filter(({ state }) => state === 'active')
    .sort((a, b) => compareByRank(b.version, a.version))
    .slice(0, 1);
