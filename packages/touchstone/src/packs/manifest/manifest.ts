import { HostError, type Issue, type JsonObject } from '@touchstone/protocol';
import { type AgentManifestWire, check, type NodePackManifestWire } from '@touchstone/protocol/wire';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import type { PackFiles } from '../archive/file-table.js';
import { setRolesAside } from './agent-roles.js';
import { isPackVersion } from './identity.js';
import { invalidManifest } from './invalid-manifest.js';
import { readManifestSource } from './manifest-source.js';

/** The protocol that this host speaks, for `engines.openwop`. */
const PROTOCOL_VERSION = '1.0.0';
const MAX_RANGE_LENGTH = 256;

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
  const { value: document, placed } = readManifestSource(files);
  const { rest, issues } = setRolesAside(document);
  const misshapen = [...check('node-pack-manifest', rest), ...issues];
  if (misshapen.length > 0) throw invalidManifest(placed(misshapen));
  const pack = rest as NodePackManifestWire;
  const agents = pack.agents ?? [];
  checkRuntime(pack);
  const unfit = [...engineIssues(pack), ...versionIssues(pack), ...agentIdIssues(pack.name, agents)];
  if (unfit.length > 0) throw invalidManifest(placed(unfit));
  return { document: document as JsonObject, pack, agents, warnings: warningsOf(pack) };
}

function checkRuntime({ runtime, agents = [] }: NodePackManifestWire): void {
  if (runtime.language !== 'remote')
    throw new HostError(
      'unsupported_runtime',
      `This host interprets agents and loads no ${runtime.language} code. Agent packs have the runtime language "remote".`,
      { language: runtime.language },
    );
  if (agents.length === 0)
    throw new HostError('unsupported_runtime', 'This host runs agents, and the pack brings none.');
}

function engineIssues({ engines }: NodePackManifestWire): readonly Issue[] {
  const pointer = '/engines/openwop';
  const range = engines.openwop;
  if (range.length > MAX_RANGE_LENGTH || validRange(range) === null)
    return [{ pointer, message: 'expected a range of versions, such as >=1.0.0 <2.0.0' }];
  if (satisfies(PROTOCOL_VERSION, range)) return [];
  return [
    { pointer, message: `expected a range with ${PROTOCOL_VERSION}, the protocol that this host speaks` },
  ];
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
