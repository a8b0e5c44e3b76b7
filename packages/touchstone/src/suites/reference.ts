import { type AgentId, asId, type SuiteId, type Version, validationError } from '@touchstone/protocol';
import compareBuild from 'semver/functions/compare-build.js';
import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';

export type SuiteReference = { readonly suiteId: SuiteId; readonly version?: Version };
export type AgentReference = {
  readonly agentId: AgentId;
  readonly version?: Version;
  readonly channel?: string;
};

const MAX_CHARS = 512;
const SUITE_ID = /^[a-z0-9.-]+\.evals\.[a-z0-9-]+$/;
const SUITE_VERSION = /^\d+\.\d+\.\d+$/;
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/;
const AGENT_VERSION = /^\d[A-Za-z0-9._+-]{0,63}$/;
const CHANNEL = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** `<suiteId>@<version>`, or a bare `<suiteId>` for its highest installed version. */
export function parseSuiteReference(reference: string): SuiteReference {
  const [suiteId = '', version, ...rest] = reference.slice(0, MAX_CHARS + 1).split('@');
  const wellFormed = SUITE_ID.test(suiteId) && (version === undefined || SUITE_VERSION.test(version));
  if (reference.length > MAX_CHARS || rest.length > 0 || !wellFormed) {
    throw malformed(
      'evalSuiteRef',
      'Expected <suiteId> or <suiteId>@<version>, such as core.acme.evals.refunds@1.2.0.',
    );
  }
  return {
    suiteId: asId<SuiteId>(suiteId),
    ...(version !== undefined && { version: asId<Version>(version) }),
  };
}

/** `<agentId>`, `<agentId>@<version>` or `<agentId>@<channel>`. What begins with a digit is a version. */
export function parseAgentReference(reference: string): AgentReference {
  const [id = '', selector, ...rest] = reference.slice(0, MAX_CHARS + 1).split('@');
  const isVersion = selector !== undefined && AGENT_VERSION.test(selector);
  const isChannel = selector !== undefined && CHANNEL.test(selector);
  const wellFormed = AGENT_ID.test(id) && (selector === undefined || isVersion || isChannel);
  if (reference.length > MAX_CHARS || rest.length > 0 || !wellFormed) {
    throw malformed(
      'agentId',
      'Expected <agentId>, <agentId>@<version> or <agentId>@<channel>, such as local.acme.support@1.0.0.',
    );
  }
  return {
    agentId: asId<AgentId>(id),
    ...(isVersion && { version: asId<Version>(selector) }),
    ...(isChannel && { channel: selector }),
  };
}

const malformed = (field: string, message: string) =>
  validationError([{ pointer: `/${field}`, message }], { field });

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

/** A suite and the versions of it that are wanted: `acme.shop.evals.desk@^1`. A bare id wants any. */
export type SuiteRange = {
  readonly suiteId: SuiteId;
  readonly range: string;
  /** Whether it names one version, or none at all: such a reference may also mean what is installed. */
  readonly isPlain: boolean;
};

/** Undefined when the text is no suite id with a version range. */
export function parseSuiteRange(text: string): SuiteRange | undefined {
  const [suiteId = '', ...rest] = text.slice(0, MAX_CHARS + 1).split('@');
  const range = rest.join('@').trim();
  if (text.length > MAX_CHARS || !SUITE_ID.test(suiteId) || rest.length > 1) return undefined;
  if (rest.length === 0) return { suiteId: asId<SuiteId>(suiteId), range: '*', isPlain: true };
  if (range === '' || validRange(range) === null) return undefined;
  return { suiteId: asId<SuiteId>(suiteId), range, isPlain: SUITE_VERSION.test(range) };
}

export const isInRange = (version: string, range: string): boolean => satisfies(version, range);

/** The highest of the versions that a range includes. */
export const highestInRange = (versions: readonly Version[], range: string): Version | undefined =>
  highestVersion(versions.filter((version) => isInRange(version, range)));

/** Whether the first is a lower version than the second. */
export const isLower = (one: Version, other: Version): boolean => compareVersions(one, other) < 0;
