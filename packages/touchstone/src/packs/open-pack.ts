import { asId, type Digest, type JsonObject, type Version } from '@touchstone/protocol';
import type { Suite } from '../ports/index.js';
import { type PackFiles, tableOf } from './archive/file-table.js';
import { PACK_LIMITS, type PackLimits } from './archive/limits.js';
import { readArchive } from './archive/read-archive.js';
import { writeArchive } from './archive/write-archive.js';
import { readManifest } from './manifest/manifest.js';
import { type PackAgent, readAgents } from './manifest/pack-agents.js';
import { type HasCapability, unmetPeers } from './manifest/peers.js';
import type { CheckSchema } from './manifest/refs.js';
import { integrityOf, packDigest } from './signing/integrity.js';

export type PackOptions = {
  /** Whether this host offers what packs call by this name. */
  readonly hasCapability: HasCapability;
  /** Opened anew for each pack: a pack's schemas share the time in which they may be checked. */
  readonly openSchemaCheck: () => CheckSchema;
  readonly limits?: PackLimits;
};

/** A pack that has been read whole and holds together. Whether it is to be trusted is asked by `verifyPack`. */
export type OpenedPack = {
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

export async function openPack(archive: Buffer, options: PackOptions): Promise<OpenedPack> {
  const files = await readArchive(archive, options.limits ?? PACK_LIMITS);
  return readPack(files, integrityOf(archive), options);
}

/** The same for files that are not packed; their integrity is that of the archive `buildPack` would make of them. */
export function openPackFiles(files: PackFiles, options: PackOptions): OpenedPack {
  const limits = options.limits ?? PACK_LIMITS;
  const proper = tableOf(files, limits);
  return readPack(proper, integrityOf(writeArchive(proper, limits)), options);
}

/** Call with files that have passed the table. */
export function readPack(files: PackFiles, integrity: string, options: PackOptions): OpenedPack {
  const { hasCapability, openSchemaCheck, limits = PACK_LIMITS } = options;
  const { document, pack, agents, warnings } = readManifest(files);
  const unmet = unmetPeers(pack, hasCapability);
  const checkSchema = openSchemaCheck();
  const contents = readAgents(agents, { files, limits, checkSchema, hasCapability, unmet });
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
