import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { link, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '@touchstone/protocol';
import {
  createSigningKey,
  keyIdOf,
  publicKeyOf,
  type Signing,
  type TrustedKey,
} from '../../evidence/index.js';
import { makeFolder } from './data-folder.js';

// The key with which this machine signs unless the operator names another one. The machine trusts its own signatures.

/** Where the key of a data folder is, once it has been made. */
export const signingKeyFile = (dataDir: string): string => join(dataDir, 'signing-key.pem');

/** Undefined when nothing has been signed here yet. */
export function readOwnKey(dataDir: string): Signing | undefined {
  const file = signingKeyFile(dataDir);
  if (!existsSync(file)) return undefined;
  const privateKey = readFileSync(file, 'utf8');
  try {
    return { keyId: keyIdOf(publicKeyOf(privateKey)), privateKey };
  } catch {
    // Said without the cause, which may repeat a part of the key.
    const message = `The key of this machine, ${file}, cannot be read as an Ed25519 private key. Restore it, or remove it to have another made.`;
    throw new HostError('validation_error', message, { file });
  }
}

/** The key of this machine, made the first time it is asked for. Two who ask at once get the same one. */
export async function ownKey(dataDir: string): Promise<Signing> {
  const present = readOwnKey(dataDir);
  if (present) return present;
  await makeFolder(dataDir);
  await writeOnce(signingKeyFile(dataDir), createSigningKey().privateKey);
  return readOwnKey(dataDir) as Signing;
}

/** Written aside and then renamed, so that no reader sees half a key; a second process finds the key of the first. */
async function writeOnce(file: string, text: string): Promise<void> {
  const aside = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(aside, text, { flag: 'wx', mode: 0o600 });
  await link(aside, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(aside);
}

export const trustedKeyOf = ({ keyId, privateKey }: Signing): TrustedKey => ({
  keyId,
  publicKey: publicKeyOf(privateKey),
});
