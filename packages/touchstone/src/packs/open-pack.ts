import { asId, type Digest, type JsonObject, type Version } from '@touchstone/protocol';
import type { SchemaCheck, Suite } from '../ports/index.js';
import { readArchive, writeArchive } from './archive/archive.js';
import { PACK_LIMITS, type PackFiles, type PackLimits, tableOf } from './archive/file-table.js';
import { readManifest } from './manifest/manifest.js';
import { type CheckSchema, type PackAgent, readAgents } from './manifest/pack-agents.js';
import { type HasCapability, unmetPeers } from './manifest/peers.js';
import { integrityOf, packDigest } from './signing/signature.js';

export type PackOptions = {
  /** Whether this host offers what packs call by this name. */
  readonly hasCapability: HasCapability;
  /** Opened anew for each pack: a pack's schemas share the time in which they may be checked. */
  readonly openSchemaCheck: () => CheckSchema;
  readonly limits?: PackLimits;
};

/** A pack that has been read whole and holds together. Whether it is to be trusted is asked by `verifyPack`. */
export type PackReading = {
  readonly name: string;
  readonly version: Version;
  readonly manifest: JsonObject;
  /** SHA-256 of the archive, as `sha256-<base64>`. */
  readonly integrity: string;
  readonly digest: Digest;
  readonly agents: readonly PackAgent[];
  readonly suites: readonly Suite[];
  readonly warnings: readonly string[];
  readonly files: PackFiles;
};

export async function openPack(archive: Buffer, options: PackOptions): Promise<PackReading> {
  const files = await readArchive(archive, options.limits ?? PACK_LIMITS);
  return readPack(files, integrityOf(archive), options);
}

/** The same for files that are not packed; their integrity is that of the archive `buildPack` would make of them. */
export async function openPackFiles(files: PackFiles, options: PackOptions): Promise<PackReading> {
  const limits = options.limits ?? PACK_LIMITS;
  const proper = tableOf(files, limits);
  return readPack(proper, integrityOf(writeArchive(proper, limits)), options);
}

/** Call with files that have passed the table. */
export async function readPack(
  files: PackFiles,
  integrity: string,
  options: PackOptions,
): Promise<PackReading> {
  const { hasCapability, openSchemaCheck, limits = PACK_LIMITS } = options;
  const { document, pack, agents, warnings } = readManifest(files);
  const unmet = unmetPeers(pack, hasCapability);
  const checkSchema = openSchemaCheck();
  const contents = await readAgents(agents, { files, limits, checkSchema, hasCapability, unmet });
  return {
    name: pack.name,
    version: asId<Version>(pack.version),
    manifest: document,
    integrity,
    digest: packDigest(document, files),
    ...contents,
    warnings,
    files,
  };
}

type Contents = Pick<PackReading, 'agents' | 'suites'>;

/** What its author should know: tasks that the agent they are meant for does not take, so that no run of them begins. */
export async function inputWarnings(
  { agents, suites }: Contents,
  fits: SchemaCheck,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const agent of agents) {
    const suite = suites.find(({ head }) => isOwn(head, agent));
    if (suite) warnings.push(...(await misfits(agent, suite, fits)));
  }
  return warnings;
}

/** A suite that several agents name may be meant for one of them alone. */
const isOwn = ({ suiteId, version, targetAgentId }: Suite['head'], { manifest, suite }: PackAgent): boolean =>
  suiteId === suite?.suiteId &&
  version === suite.version &&
  (targetAgentId ?? manifest.agentId) === manifest.agentId;

/** The first one is enough: an author who corrects it looks at the others as well. */
async function misfits(
  { manifest, taskSchema }: PackAgent,
  { head, tasks }: Suite,
  fits: SchemaCheck,
): Promise<readonly string[]> {
  if (!taskSchema) return [];
  for (const [index, { taskId, input }] of tasks.entries()) {
    const [issue] = await fits(taskSchema, input);
    if (issue)
      return [
        `Task ${taskId} of ${head.suiteId}@${head.version} does not fit the task schema of agent ${manifest.agentId}, so a run of it is refused: /tasks/${index}/input${issue.pointer}: ${issue.message}.`,
      ];
  }
  return [];
}
