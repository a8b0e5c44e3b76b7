import type { Version } from '@touchstone/protocol';
import compareBuild from 'semver/functions/compare-build.js';
import valid from 'semver/functions/valid.js';

const isSemantic = (version: Version): boolean => valid(version) !== null;
const byText = (a: Version, b: Version): number => (a < b ? -1 : Number(a > b));

/** By precedence; two spellings of the same version, or two that are no SemVer, by their text. */
const withinKind = (a: Version, b: Version): number =>
  (isSemantic(a) ? compareBuild(a, b) : 0) || byText(a, b);

/** For lists: by SemVer precedence, then what is no SemVer. */
export const compareForList = (a: Version, b: Version): number =>
  Number(isSemantic(b)) - Number(isSemantic(a)) || withinKind(a, b);

/** For `latest`: what is no SemVer ranks below everything that is, so it comes up only when nothing else serves. */
export const compareByRank = (a: Version, b: Version): number =>
  Number(isSemantic(a)) - Number(isSemantic(b)) || withinKind(a, b);
