import {
  defined,
  type ErrorCode,
  HostError,
  type Issue,
  isHostError,
  isObject,
  isUnsound,
  type JsonObject,
  type SuiteId,
  type Version,
} from '@touchstone/protocol';
import type { AgentManifestWire } from '@touchstone/protocol/wire';
import type { MaybePromise, Suite } from '../../ports/index.js';
import {
  authoringMembers,
  jsonOf,
  readFileText,
  readPackPath,
  readSuite,
  shownPath,
  utf8,
} from '../../suites/index.js';
import type { PackFiles, PackLimits } from '../archive/file-table.js';
import { KEYS_FOLDER } from '../signing/signature.js';
import { firstIssue, invalidManifest } from './manifest.js';
import type { HasCapability } from './peers.js';

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

/** Everything wrong with a JSON Schema of a pack. */
export type CheckSchema = (schema: unknown) => MaybePromise<readonly Issue[]>;

type AgentParts = {
  readonly files: PackFiles;
  readonly limits: PackLimits;
  readonly checkSchema: CheckSchema;
  readonly hasCapability: HasCapability;
  /** What the whole pack does without. */
  readonly unmet: readonly string[];
};

type PackContents = { readonly agents: readonly PackAgent[]; readonly suites: readonly Suite[] };

export async function readAgents(
  manifests: readonly AgentManifestWire[],
  parts: AgentParts,
): Promise<PackContents> {
  const { maxAgents, maxResolvedBytes } = parts.limits;
  if (manifests.length > maxAgents)
    throw invalidManifest([
      { pointer: '/agents', message: `expected at most ${maxAgents} agents, got ${manifests.length}` },
    ]);
  const suites = new PackSuites(new Set(manifests.map(({ agentId }) => agentId)));
  const readers = createReaders(parts);
  let bytes = 0;
  const agents: PackAgent[] = [];
  for (const [index, manifest] of manifests.entries()) {
    const agent = await readAgent(manifest, parts, readers, suites);
    agents.push(agent);
    // Every agent is kept with a copy of what it names, so a small archive could ask for a large store.
    bytes += Buffer.byteLength(agent.systemPrompt) + bytesOf(agent.taskSchema) + bytesOf(agent.returnSchema);
    if (bytes <= maxResolvedBytes) continue;
    const message = `expected prompts and schemas of at most ${maxResolvedBytes} bytes, those of all agents together`;
    throw invalidManifest([{ pointer: `/agents/${index}`, message }]);
  }
  return { agents, suites: suites.list() };
}

const bytesOf = (schema: JsonObject | undefined): number =>
  schema ? Buffer.byteLength(JSON.stringify(schema)) : 0;

async function readAgent(
  manifest: AgentManifestWire,
  { hasCapability, unmet }: AgentParts,
  readers: ReturnType<typeof createReaders>,
  suites: PackSuites,
): Promise<PackAgent> {
  const { agentId, systemPrompt, systemPromptRef = '', handoff = {}, evalSuiteRef } = manifest;
  const { requiresCapabilities = [] } = manifest;
  const to = (member: Ref['member'], path: string): Ref => ({ agentId, member, path });
  const schemaAt = (member: Ref['member'], path: string | undefined) =>
    path === undefined ? undefined : readers.schema(to(member, path));
  const suiteRef = evalSuiteRef === undefined ? undefined : to('evalSuiteRef', evalSuiteRef);
  const lacking = requiresCapabilities.filter((key) => !hasCapability(key, [manifest.modelClass]));
  return defined({
    manifest,
    // The schema admits exactly one of the two.
    systemPrompt: systemPrompt ?? readers.prompt(to('systemPromptRef', systemPromptRef)),
    taskSchema: await schemaAt('handoff.taskSchemaRef', handoff.taskSchemaRef),
    returnSchema: await schemaAt('handoff.returnSchemaRef', handoff.returnSchemaRef),
    suite: suiteRef && suites.add(suiteRef, readers.suite(suiteRef)),
    degraded: [...new Set([...unmet, ...lacking])].sort(),
  });
}

/** The suites of a pack. Agents may share one; two that differ under one name and version could not both be installed. */
class PackSuites {
  private readonly byName = new Map<string, Suite>();

  constructor(private readonly agentIds: ReadonlySet<string>) {}

  add(ref: Ref, suite: Suite): { readonly suiteId: SuiteId; readonly version: Version } {
    const { suiteId, version, digest, targetAgentId } = suite.head;
    if (targetAgentId !== undefined && !this.agentIds.has(targetAgentId))
      throw refError('invalid_manifest', ref, 'is for an agent that is not of this pack');
    const name = `${suiteId}@${version}`;
    const known = this.byName.get(name);
    if (known && known.head.digest !== digest)
      throw refError('invalid_manifest', ref, `differs from another file of this pack that is ${name} too`);
    this.byName.set(name, known ?? suite);
    return { suiteId, version };
  }

  list(): readonly Suite[] {
    return [...this.byName.values()];
  }
}

/** A member of an agent's manifest that names a file of the pack. */
type Ref = {
  readonly agentId: string;
  readonly member: 'systemPromptRef' | 'handoff.taskSchemaRef' | 'handoff.returnSchemaRef' | 'evalSuiteRef';
  readonly path: string;
};

/** A file that several agents name is read and checked once. */
function createReaders({ files, limits, checkSchema }: AgentParts) {
  const once = <T>(read: (ref: Ref, file: PackFile) => T) => {
    const known = new Map<string, T>();
    return (ref: Ref): T => {
      const file = fileOf(files, ref, limits);
      const value = known.get(file.path) ?? read(ref, file);
      known.set(file.path, value);
      return value;
    };
  };
  return {
    prompt: once((ref, file) => readPrompt(ref, file, limits)),
    schema: once((ref, file) => readSchema(ref, file, checkSchema)),
    suite: once(readSuiteFile),
  };
}

function readPrompt(ref: Ref, { bytes }: PackFile, { maxPromptBytes }: PackLimits): string {
  if (bytes.length > maxPromptBytes)
    throw refError('invalid_manifest', ref, `is larger than the ${maxPromptBytes} bytes of a prompt`);
  const text = textOf(ref, bytes);
  if (text.trim() === '') throw refError('invalid_manifest', ref, 'is empty');
  return text;
}

async function readSchema(ref: Ref, { bytes }: PackFile, checkSchema: CheckSchema): Promise<JsonObject> {
  const schema = jsonOf(bytes)?.value;
  if (!isObject(schema) || isUnsound(schema))
    throw refError(
      'invalid_manifest',
      ref,
      'is not a JSON Schema: expected a JSON object in UTF-8 with no member twice',
    );
  const issues = await checkSchema(schema);
  if (issues.length === 0) return schema as JsonObject;
  const problem = `is not a JSON Schema that can be used here: ${firstIn(issues)}`;
  throw refError('invalid_manifest', ref, problem, issues);
}

function readSuiteFile(ref: Ref, { path, bytes }: PackFile): Suite {
  const text = textOf(ref, bytes);
  try {
    return readSuite(text, { file: path });
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = (error.details?.issues ?? []) as readonly Issue[];
    const [authored] = authoringMembers(readFileText(text, { file: path }).value);
    if (authored !== undefined) throw refError('invalid_manifest', ref, notCompiled(path, authored), issues);
    throw refError('invalid_manifest', ref, `is not a suite: ${firstIn(issues)}`, issues);
  }
}

const notCompiled = (path: string, member: string): string =>
  `has ${member}, which only suite files may have. A pack holds compiled suites: touchstone compile ${path} --out <folder>`;

function textOf(ref: Ref, bytes: Buffer): string {
  const text = utf8(bytes);
  if (text === undefined) throw refError('invalid_manifest', ref, 'is not UTF-8');
  return text;
}

function refError(
  code: ErrorCode,
  { agentId, member, path }: Ref,
  problem: string,
  issues?: readonly Issue[],
): HostError {
  const message = `Agent ${agentId}: ${member} ${shownPath(path)} ${problem}.`;
  return new HostError(code, message, defined({ agentId, ref: member, path, issues }));
}

const firstIn = (issues: readonly Issue[]): string =>
  firstIssue(
    issues.map((issue) => ({
      message: issue.message.replace(/\.$/, ''),
      pointer: `${issue.line === undefined ? '' : `line ${issue.line}, `}${issue.pointer || '/'}`,
    })),
  );

type PackFile = { readonly path: string; readonly bytes: Buffer };

function fileOf(files: PackFiles, ref: Ref, limits: PackLimits): PackFile {
  const read = readPackPath(ref.path, limits.maxPathLength);
  if (read.kind === 'escapes')
    throw refError(
      'tarball_path_traversal',
      ref,
      'leaves the pack: expected a path below its root, with slashes',
    );
  // The digest leaves that folder out, so what lay there could change unnoticed.
  if (read.kind === 'inside' && read.path.startsWith(KEYS_FOLDER))
    throw refError('invalid_manifest', ref, `lies in ${KEYS_FOLDER}, which is for signatures`);
  const bytes = read.kind === 'inside' ? files.get(read.path) : undefined;
  if (read.kind !== 'inside' || !bytes)
    throw refError('tarball_entry_missing', ref, 'is not a file of the pack');
  return { path: read.path, bytes };
}
