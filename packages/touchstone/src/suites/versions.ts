import type { Version } from '@touchstone/protocol';
import compareBuild from 'semver/functions/compare-build.js';
import valid from 'semver/functions/valid.js';

/** The highest by SemVer order. A version that is not SemVer ranks below every one that is, by plain text order. */
export const highestVersion = (versions: readonly Version[]): Version | undefined =>
  versions.reduce<Version | undefined>(
    (highest, version) =>
      highest === undefined || compareVersions(version, highest) > 0 ? version : highest,
    undefined,
  );

function compareVersions(a: Version, b: Version): number {
  const semantic = Number(valid(a) !== null) - Number(valid(b) !== null);
  if (semantic !== 0) return semantic;
  if (valid(a) !== null) return compareBuild(a, b);
  return a < b ? -1 : Number(a > b);
}
