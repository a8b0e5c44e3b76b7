import type { JsonObject, SuiteId, Version } from '@touchstone/protocol';
import type { AgentManifestWire } from '@touchstone/protocol/wire';
import type { Suite } from '../../ports/index.js';
import { readPackPath } from '../../suites/index.js';
import type { PackFiles } from '../archive/file-table.js';
import type { PackLimits } from '../archive/limits.js';
import { invalidManifest } from './invalid-manifest.js';
import type { HasCapability } from './peers.js';
import { type CheckSchema, type Ref, readPrompt, readSchema, readSuiteFile, refError } from './refs.js';

/** An agent of a pack together with the files that its manifest names. */
export type PackAgent = {
  readonly manifest: AgentManifestWire;
  readonly systemPrompt: string;
  readonly taskSchema?: JsonObject;
  readonly returnSchema?: JsonObject;
  readonly suite?: { readonly suiteId: SuiteId; readonly version: Version };
  /** What it, or its pack, declares to need and this host does not offer. */
  readonly degraded: readonly string[];
};

export type AgentParts = {
  readonly files: PackFiles;
  readonly limits: PackLimits;
  readonly checkSchema: CheckSchema;
  readonly hasCapability: HasCapability;
  /** What the whole pack does without. */
  readonly unmet: readonly string[];
};

export type Contents = { readonly agents: readonly PackAgent[]; readonly suites: readonly Suite[] };

export function readAgents(manifests: readonly AgentManifestWire[], parts: AgentParts): Contents {
  const { maxAgents } = parts.limits;
  if (manifests.length > maxAgents)
    throw invalidManifest([
      { pointer: '/agents', message: `expected at most ${maxAgents} agents, got ${manifests.length}` },
    ]);
  const shelf = new SuiteCatalogue(new Set(manifests.map(({ agentId }) => agentId)));
  const room = createRoom(parts.limits);
  const readers = createReaders(parts);
  const agents = manifests.map((manifest, index) => {
    const agent = readAgent(manifest, parts, readers, shelf);
    room.take(agent, index);
    return agent;
  });
  return { agents, suites: shelf.suites() };
}

type Readers = ReturnType<typeof createReaders>;

/** A file that several agents name is read and checked once. */
function createReaders({ files, limits, checkSchema }: AgentParts) {
  const once = <T>(read: (ref: Ref) => T) => {
    const known = new Map<string, T>();
    return (ref: Ref): T => {
      const place = readPackPath(ref.path, limits.maxPathLength);
      const path = place.kind === 'inside' ? place.path : ref.path;
      const value = known.get(path) ?? read(ref);
      known.set(path, value);
      return value;
    };
  };
  return {
    prompt: once((ref) => readPrompt(files, ref, limits)),
    schema: once((ref) => readSchema(files, ref, limits, checkSchema)),
    suite: once((ref) => readSuiteFile(files, ref, limits)),
  };
}

/** Every agent is kept with a copy of what it names, so a small archive could ask for a large store. */
function createRoom({ maxResolvedBytes }: PackLimits) {
  let taken = 0;
  return {
    take({ systemPrompt, taskSchema, returnSchema }: PackAgent, index: number): void {
      taken += Buffer.byteLength(systemPrompt) + bytesOf(taskSchema) + bytesOf(returnSchema);
      if (taken <= maxResolvedBytes) return;
      const message = `expected prompts and schemas of at most ${maxResolvedBytes} bytes, those of all agents together`;
      throw invalidManifest([{ pointer: `/agents/${index}`, message }]);
    },
  };
}

const bytesOf = (schema: JsonObject | undefined): number =>
  schema ? Buffer.byteLength(JSON.stringify(schema)) : 0;

function readAgent(
  manifest: AgentManifestWire,
  { hasCapability, unmet }: AgentParts,
  readers: Readers,
  shelf: SuiteCatalogue,
): PackAgent {
  const {
    agentId,
    systemPrompt,
    systemPromptRef,
    handoff = {},
    evalSuiteRef,
    requiresCapabilities = [],
  } = manifest;
  const to = (member: Ref['member'], path: string): Ref => ({ agentId, member, path });
  const schemaAt = (member: Ref['member'], path: string) => readers.schema(to(member, path));
  const { taskSchemaRef, returnSchemaRef } = handoff;
  const suiteRef = evalSuiteRef === undefined ? undefined : to('evalSuiteRef', evalSuiteRef);
  const lacking = requiresCapabilities.filter((key) => !hasCapability(key));
  return {
    manifest,
    // The schema admits exactly one of the two.
    systemPrompt: systemPrompt ?? readers.prompt(to('systemPromptRef', systemPromptRef ?? '')),
    ...(taskSchemaRef !== undefined && { taskSchema: schemaAt('handoff.taskSchemaRef', taskSchemaRef) }),
    ...(returnSchemaRef !== undefined && {
      returnSchema: schemaAt('handoff.returnSchemaRef', returnSchemaRef),
    }),
    ...(suiteRef && { suite: shelf.put(suiteRef, readers.suite(suiteRef)) }),
    degraded: [...new Set([...unmet, ...lacking])].sort(),
  };
}

/** The suites of a pack. Agents may share one; two that differ under one name and version could not both be installed. */
class SuiteCatalogue {
  readonly #agentIds: ReadonlySet<string>;
  readonly #byName = new Map<string, Suite>();

  constructor(agentIds: ReadonlySet<string>) {
    this.#agentIds = agentIds;
  }

  put(ref: Ref, suite: Suite): { readonly suiteId: SuiteId; readonly version: Version } {
    const { suiteId, version, digest, targetAgentId } = suite.head;
    if (targetAgentId !== undefined && !this.#agentIds.has(targetAgentId))
      throw refError('invalid_manifest', ref, 'is for an agent that is not of this pack');
    const name = `${suiteId}@${version}`;
    const known = this.#byName.get(name);
    if (known && known.head.digest !== digest)
      throw refError('invalid_manifest', ref, `differs from another file of this pack that is ${name} too`);
    this.#byName.set(name, known ?? suite);
    return { suiteId, version };
  }

  suites(): readonly Suite[] {
    return [...this.#byName.values()];
  }
}
