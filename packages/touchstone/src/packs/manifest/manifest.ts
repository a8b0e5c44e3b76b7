import {
  HostError,
  type Issue,
  isObject,
  isUnsound,
  type JsonObject,
  type UnknownObject,
} from '@touchstone/protocol';
import { type AgentManifestWire, check, type NodePackManifestWire } from '@touchstone/protocol/wire';
import { readJsonText, type TextReading, utf8 } from '../../suites/index.js';
import { MANIFEST_PATH, type PackFiles } from '../archive/file-table.js';
import { checkEngine, rangeIssues } from './engine-range.js';
import { isPackVersion } from './identity.js';
import { checkKind } from './pack-kind.js';

export type Manifest = {
  /** As it stands in the file. */
  readonly document: JsonObject;
  /** Checked, without what the schema does not know. */
  readonly pack: NodePackManifestWire;
  readonly agents: readonly AgentManifestWire[];
  readonly warnings: readonly string[];
};

/** Reads `pack.json`. What is wrong with it as a manifest is listed whole. */
export function readManifest(files: PackFiles): Manifest {
  const { value: document, locate } = readManifestSource(files);
  checkKind(document);
  checkEngine(document);
  const { rest, issues } = setRolesAside(document);
  const misshapen = [...check('node-pack-manifest', rest), ...issues];
  if (misshapen.length > 0) throw invalidManifest(locate(misshapen));
  const pack = rest as NodePackManifestWire;
  const agents = pack.agents ?? [];
  checkRuntime(pack);
  const unfit = [...rangeIssues(pack), ...versionIssues(pack), ...agentIdIssues(pack.name, agents)];
  if (unfit.length > 0) throw invalidManifest(locate(unfit));
  return { document: document as JsonObject, pack, agents, warnings: warningsOf(pack) };
}

function checkRuntime({ runtime }: NodePackManifestWire): void {
  if (runtime.language === 'remote') return;
  throw new HostError(
    'unsupported_runtime',
    `This host interprets agents and loads no ${runtime.language} code. Agent packs have the runtime language "remote".`,
    { language: runtime.language },
  );
}

const versionIssues = ({ version }: NodePackManifestWire): readonly Issue[] =>
  isPackVersion(version) ? [] : [{ pointer: '/version', message: 'expected a version by SemVer' }];

function agentIdIssues(packName: string, agents: readonly AgentManifestWire[]): readonly Issue[] {
  const seen = new Map<string, number>();
  return agents.flatMap(({ agentId }, index) => {
    const pointer = `/agents/${index}/agentId`;
    const earlier = seen.get(agentId);
    if (earlier !== undefined) return [{ pointer, message: `already used by /agents/${earlier}` }];
    seen.set(agentId, index);
    return isOfPack(agentId, packName)
      ? []
      : [
          {
            pointer,
            message: `expected the name of the pack, alone or with one more part, as in ${packName}.default`,
          },
        ];
  });
}

const isOfPack = (agentId: string, packName: string): boolean =>
  agentId === packName ||
  (agentId.startsWith(`${packName}.`) && !agentId.slice(packName.length + 1).includes('.'));

function warningsOf({ nodes = [], dependencies = {}, agents = [] }: NodePackManifestWire): readonly string[] {
  const templated = agents.filter(
    ({ promptOverrides, promptLibraryRef }) => promptOverrides || promptLibraryRef,
  );
  return [
    ...(nodes.length > 0 ? ['The nodes of this pack are not loaded: this host runs agents.'] : []),
    ...(Object.keys(dependencies).length > 0
      ? ['The dependencies of this pack are not resolved: agents need no code of other packs here.']
      : []),
    ...templated.map(
      ({ agentId }) =>
        `Agent ${agentId} names prompt templates, which are not resolved: its system prompt stands alone.`,
    ),
  ];
}

/** Reads the text of `pack.json`, whatever it says. */
function readManifestSource(files: PackFiles): Pick<TextReading, 'value' | 'locate'> {
  const { value, problem, locate } = readJsonText(textOf(files));
  if (problem === 'syntax') throw notJson(locate());
  if (isUnsound(value))
    throw invalidManifest([
      { pointer: '', message: 'nests too deep, or has a number too large to be written' },
    ]);
  // Which of two equal members counts depends on the reader, so a signature over both would vouch for either.
  if (problem) throw invalidManifest(locate());
  return { value, locate };
}

function textOf(files: PackFiles): string {
  const bytes = files.get(MANIFEST_PATH);
  if (!bytes)
    throw new HostError(
      'tarball_manifest_missing',
      'Expected pack.json at the root of the pack, but there is none. A folder around everything is not looked into.',
    );
  const text = utf8(bytes);
  if (text === undefined)
    throw new HostError(
      'tarball_manifest_not_json',
      'Expected pack.json to be JSON in UTF-8, but it is not UTF-8.',
    );
  return text;
}

function notJson(issues: readonly Issue[]): HostError {
  const [{ line, column, message } = { message: '' }] = issues;
  return new HostError(
    'tarball_manifest_not_json',
    `Expected ${MANIFEST_PATH} to be JSON, but in line ${line}, column ${column} it is not: ${message}`,
    { file: MANIFEST_PATH, issues },
  );
}

/** The first issue, and how many more there are, for a message. */
export function firstIssue(issues: readonly Issue[]): string {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return first ? `${first.pointer || '/'}: ${first.message}${more}` : 'it is not valid';
}

/** All issues are in the details, the first one in the message. */
export const invalidManifest = (issues: readonly Issue[]): HostError =>
  new HostError('invalid_manifest', `${MANIFEST_PATH} ${firstIssue(issues)}`, {
    file: MANIFEST_PATH,
    issues,
  });

const ROLES: readonly unknown[] = ['skill', 'assistant'];

/**
 * Published packs give their agents a `role`, which the published schema does not know. It is judged here and then set
 * aside, so that the rest can be held against the schema as it is.
 */
function setRolesAside(manifest: unknown): { readonly rest: unknown; readonly issues: readonly Issue[] } {
  if (!isObject(manifest) || !Array.isArray(manifest.agents)) return { rest: manifest, issues: [] };
  const agents: readonly unknown[] = manifest.agents;
  return {
    rest: { ...manifest, agents: agents.map((agent) => (isObject(agent) ? omitRole(agent) : agent)) },
    issues: agents.flatMap((agent, index) => (isObject(agent) ? roleIssues(agent, `/agents/${index}`) : [])),
  };
}

const omitRole = ({ role: _, ...rest }: UnknownObject): UnknownObject => rest;

function roleIssues(agent: UnknownObject, pointer: string): readonly Issue[] {
  if (!Object.hasOwn(agent, 'role')) return [];
  if (!ROLES.includes(agent.role))
    return [{ pointer: `${pointer}/role`, message: `expected one of ${ROLES.join(', ')}` }];
  return agent.role === 'skill' ? skillIssues(agent, pointer) : [];
}

/** A skill is called like a function: it says what goes in and out, and remembers nothing between calls. */
function skillIssues({ handoff, memoryShape }: UnknownObject, pointer: string): readonly Issue[] {
  const shape = isObject(memoryShape) ? memoryShape : {};
  const kept = ['conversation', 'longTerm'].filter((kind) => shape[kind] === true);
  return [
    ...(handoff === undefined
      ? [{ pointer: `${pointer}/handoff`, message: 'required of an agent with the role skill, but missing' }]
      : []),
    ...kept.map((kind) => ({
      pointer: `${pointer}/memoryShape/${kind}`,
      message: 'an agent with the role skill keeps no such memory',
    })),
  ];
}
