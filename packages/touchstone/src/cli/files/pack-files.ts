import { createPrivateKey } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client, PackInstallation } from '@touchstone/sdk';
import { packOptions, readPackFiles } from '../../app/index.js';
import { buildPack, openPack, openPackFiles, type PackOptions, type PackReading } from '../../packs/index.js';
import { type Context, UsageError } from '../io.js';
import { readConfig } from '../local.js';
import { readText } from './local-files.js';

/** Who signs, and with what. */
export type Signing = { readonly keyId: string; readonly privateKey: string };
export type KeyOptions = { readonly key?: string; readonly keyId?: string };

const MAKE_ONE = 'Make one with: openssl genpkey -algorithm ed25519 -out key.pem';

/** The key that signs a pack, read from its file. Undefined when no signature was asked for. */
export function readSigning({ key, keyId }: KeyOptions, cwd: string): Signing | undefined {
  if (key === undefined && keyId === undefined) return undefined;
  if (key === undefined) throw new UsageError('--key-id names the key of --key, which is missing.', MAKE_ONE);
  if (!keyId)
    throw new UsageError(
      '--key needs --key-id: the name under which others know the key.',
      'For example: --key key.pem --key-id acme-2026',
    );
  const path = resolve(cwd, key);
  if (!existsSync(path)) throw new UsageError(`There is no key file ${key}.`, MAKE_ONE);
  return { keyId, privateKey: checkedKey(readText(path, key), key) };
}

/** What is wrong is said without the cause, which may repeat a part of the key. */
function checkedKey(pem: string, shown: string): string {
  if (isEd25519(pem)) return pem;
  const what = /BEGIN PUBLIC KEY/.test(pem) ? ' It is a public key; the private one signs.' : '';
  throw new UsageError(
    `${shown} is not an Ed25519 private key in PEM form (PKCS #8, without a password).${what}`,
    MAKE_ONE,
  );
}

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

/** A pack leaves the machine, and so would a key that lies in its folder. */
export function checkNoKeys(files: ReadonlyMap<string, Buffer>): void {
  const keys = [...files].flatMap(([path, bytes]) =>
    /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(bytes.subarray(0, 200).toString('latin1')) ? [path] : [],
  );
  if (keys.length === 0) return;
  throw new UsageError(
    `A private key lies inside the pack and would be published with it: ${keys.join(', ')}.`,
    'Move it out of the folder.',
  );
}

type PackBytes = Buffer | ReadonlyMap<string, Buffer>;

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

export const openPackBytes = async (bytes: PackBytes, options: PackOptions): Promise<PackReading> =>
  Buffer.isBuffer(bytes) ? openPack(bytes, options) : openPackFiles(bytes, options);

/** The pack in a folder or an archive. */
export const openPackAt = async (path: string, options: PackOptions): Promise<PackReading> =>
  openPackBytes(await readPackFiles(path), options);

/** Sends a pack to a host, a folder as the archive of it. Whether it may be used is for that host to decide. */
export async function sendPack(
  client: Client,
  path: string,
  options: PackOptions,
): Promise<{ readonly pack: PackReading; readonly installed: PackInstallation }> {
  const archive = await archiveOf(await readPackFiles(path), options);
  const pack = await openPackBytes(archive, options);
  const { name, version, integrity } = pack;
  return { pack, installed: await client.packs.install(archive, { name, version, integrity }) };
}

/** An archive as it is; a folder as the archive of it, unless it holds what must not leave the machine. */
async function archiveOf(bytes: PackBytes, options: PackOptions): Promise<Buffer> {
  if (Buffer.isBuffer(bytes)) return bytes;
  checkNoKeys(bytes);
  return (await buildPack(bytes, options)).archive;
}

/** A pack is made for other hosts too, so what this one offers is no reason not to make it. */
export const authorOptions = async (context: Context): Promise<PackOptions> => ({
  ...packOptions(await readConfig(context)),
  hasCapability: () => true,
});
