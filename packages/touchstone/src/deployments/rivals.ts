import { type AgentDeployments, CHANNELS, type DeployedVersion, type Version } from '@touchstone/protocol';
import { mainVersionOf, shares } from './channels.js';
import { rowOf } from './picture.js';

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
