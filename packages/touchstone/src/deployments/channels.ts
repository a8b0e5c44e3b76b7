import { type AgentDeployments, CHANNELS, type DeployedVersion, type Version } from '@touchstone/protocol';
import compareBuild from 'semver/functions/compare-build.js';
import valid from 'semver/functions/valid.js';
import { rowOf, servingOn } from './picture.js';

type Share = { readonly version: Version; readonly share: number };

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
const latestOf = (deployments: AgentDeployments): readonly DeployedVersion[] =>
  byRank(deployments)
    .flatMap((version) => rowOf(deployments, version) ?? [])
    .filter(({ state }) => state === 'active')
    .slice(-1);

/** Every version that was ever moved, the highest last: the line of `latest`. */
export const byRank = ({ versions }: AgentDeployments): readonly Version[] =>
  versions.map(({ version }) => version).sort(compareByRank);

const isSemantic = (version: Version): boolean => valid(version) !== null;
const byText = (a: Version, b: Version): number => (a < b ? -1 : Number(a > b));

/** By precedence; two spellings of the same version, or two that are no SemVer, by their text. */
const withinKind = (a: Version, b: Version): number =>
  (isSemantic(a) ? compareBuild(a, b) : 0) || byText(a, b);

/** For lists: by SemVer precedence, then what is no SemVer. */
export const compareForList = (a: Version, b: Version): number =>
  Number(isSemantic(b)) - Number(isSemantic(a)) || withinKind(a, b);

/** For `latest`: what is no SemVer ranks below everything that is, so it comes up only when nothing else serves. */
const compareByRank = (a: Version, b: Version): number =>
  Number(isSemantic(a)) - Number(isSemantic(b)) || withinKind(a, b);

/**
 * The versions that a version on its way would stand in for: on each channel that leads to it afterwards, `latest`
 * included, whichever has most of it before. A pause is no way around: one that rests counts as if it served.
 */
export function rivalsOf(
  before: AgentDeployments,
  next: AgentDeployments,
  version: Version,
): readonly DeployedVersion[] {
  const others = withoutRest(before, version);
  const rivals = CHANNELS.filter((channel) =>
    shares(next, channel).some((one) => one.version === version),
  ).flatMap((channel) => mainVersionOf(others, channel) ?? []);
  return [...new Set(rivals)].flatMap((each) => rowOf(before, each) ?? []);
}

const withoutRest = (before: AgentDeployments, version: Version): AgentDeployments => ({
  ...before,
  versions: before.versions
    .filter((row) => row.version !== version)
    .map((row) => (row.state === 'paused' ? { ...row, state: 'active' } : row)),
});
