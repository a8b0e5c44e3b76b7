import type { JsonObject, SuiteId, Version } from '@touchstone/contract';
import type { Suite } from '@touchstone/contract/ports';
import type { AgentManifestWire } from '@touchstone/contract/wire';
import type { PackFiles } from './file-table.js';
import type { PackLimits } from './limits.js';
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
  const shelf = new SuiteShelf(new Set(manifests.map(({ agentId }) => agentId)));
  const agents = manifests.map((manifest) => readAgent(manifest, parts, shelf));
  return { agents, suites: shelf.suites() };
}

function readAgent(manifest: AgentManifestWire, parts: AgentParts, shelf: SuiteShelf): PackAgent {
  const {
    agentId,
    systemPrompt,
    systemPromptRef,
    handoff = {},
    evalSuiteRef,
    requiresCapabilities = [],
  } = manifest;
  const { files, limits, checkSchema, hasCapability, unmet } = parts;
  const to = (member: Ref['member'], path: string): Ref => ({ agentId, member, path });
  const schemaAt = (member: Ref['member'], path: string) =>
    readSchema(files, to(member, path), limits, checkSchema);
  const { taskSchemaRef, returnSchemaRef } = handoff;
  const suiteRef = evalSuiteRef === undefined ? undefined : to('evalSuiteRef', evalSuiteRef);
  const lacking = requiresCapabilities.filter((key) => !hasCapability(key));
  return {
    manifest,
    // The schema admits exactly one of the two.
    systemPrompt: systemPrompt ?? readPrompt(files, to('systemPromptRef', systemPromptRef ?? ''), limits),
    ...(taskSchemaRef !== undefined && { taskSchema: schemaAt('handoff.taskSchemaRef', taskSchemaRef) }),
    ...(returnSchemaRef !== undefined && {
      returnSchema: schemaAt('handoff.returnSchemaRef', returnSchemaRef),
    }),
    ...(suiteRef && { suite: shelf.put(suiteRef, readSuiteFile(files, suiteRef, limits)) }),
    degraded: [...new Set([...unmet, ...lacking])].sort(),
  };
}

/** The suites of a pack. Agents may share one; two that differ under one name and version could not both be installed. */
class SuiteShelf {
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
