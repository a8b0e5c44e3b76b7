import { createPrivateKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../exit.js';
import { readText } from './read-file.js';

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
  const keys = privateKeysIn(files);
  if (keys.length === 0) return;
  throw new UsageError(
    `A private key lies inside the pack and would be published with it: ${keys.join(', ')}.`,
    'Move it out of the folder.',
  );
}

const privateKeysIn = (files: ReadonlyMap<string, Buffer>): readonly string[] =>
  [...files].flatMap(([path, bytes]) =>
    /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(bytes.subarray(0, 200).toString('latin1')) ? [path] : [],
  );
