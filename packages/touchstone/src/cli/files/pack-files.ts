import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PackOptions, PackReading } from '../../packs/index.js';
import { UsageError } from '../exit.js';
import type { Context } from '../io.js';
import { readConfig } from '../local.js';
import { checkNoKeys } from './pack-key.js';

export type PackBytes = Buffer | ReadonlyMap<string, Buffer>;

/** The path of an archive, or of a folder with a manifest, that the user named. */
export function packPath(argument: string, cwd: string): string {
  const path = resolve(cwd, argument);
  const entry = statSync(path, { throwIfNoEntry: false });
  const hint = 'Give an archive (.tgz), or a folder with a pack.json.';
  if (!entry) throw new UsageError(`There is no pack at ${argument}.`, hint);
  if (entry.isDirectory() && !existsSync(join(path, 'pack.json')))
    throw new UsageError(`${argument} has no pack.json, so it is not a pack.`, hint);
  if (!entry.isDirectory() && !entry.isFile()) throw new UsageError(`${argument} is not a file.`, hint);
  return path;
}

export async function readPackBytes(path: string): Promise<PackBytes> {
  const { readPackFiles } = await import('../../app/index.js');
  return readPackFiles(path);
}

export async function openPackBytes(bytes: PackBytes, options: PackOptions): Promise<PackReading> {
  const { openPack, openPackFiles } = await import('../../packs/index.js');
  return Buffer.isBuffer(bytes) ? openPack(bytes, options) : openPackFiles(bytes, options);
}

/** An archive as it is; a folder as the archive of it, unless it holds what must not leave the machine. */
export async function archiveOf(bytes: PackBytes, options: PackOptions): Promise<Buffer> {
  if (Buffer.isBuffer(bytes)) return bytes;
  checkNoKeys(bytes);
  const { buildPack } = await import('../../packs/index.js');
  return (await buildPack(bytes, options)).archive;
}

/** A pack is made for other hosts too, so what this one offers is no reason not to make it. */
export async function authorOptions(context: Context): Promise<PackOptions> {
  const { packOptions } = await import('../../app/index.js');
  return { ...packOptions(await readConfig(context)), hasCapability: () => true };
}

/** What a pack brings to a run: its agents, and the suite of each that has one. */
export type PackToRun = {
  readonly name: string;
  readonly version: string;
  readonly agents: readonly { readonly agentId: string; readonly suiteRef?: string }[];
  /** Where its files are, when they are at hand. */
  readonly path?: string;
};

export const packToRun = ({ name, version, agents }: PackReading, path?: string): PackToRun => ({
  name,
  version,
  agents: agents.map(({ manifest: { agentId }, suite }) => ({
    agentId,
    ...(suite && { suiteRef: `${suite.suiteId}@${suite.version}` }),
  })),
  ...(path !== undefined && { path }),
});
