import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { validationError } from '@touchstone/protocol';

/** Who signs, and with what: an Ed25519 key in PEM form. */
export type Signing = { readonly keyId: string; readonly privateKey: string };
export type TrustedKey = {
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** The packs it may sign for, by name or by `prefix.*`; absent: all. */
  readonly names?: readonly string[];
};
/** Both halves in PEM form. */
type SigningKey = { readonly privateKey: string; readonly publicKey: string };

export function createSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** The half that others need to check what this key has signed. */
export const publicKeyOf = (privatePem: string): KeyObject => createPublicKey(readPrivateKey(privatePem));

/** Whether a key may sign for a pack. */
export const vouchesForPack = ({ names }: Pick<TrustedKey, 'names'>, packName: string): boolean =>
  names?.some((name) => isNamedBy(name, packName)) ?? true;

/** Whether a key may sign for an agent: a pack's agents have its name, alone or with one more part. */
export const vouchesForAgent = (key: Pick<TrustedKey, 'names'>, agentId: string): boolean =>
  vouchesForPack(key, agentId) || vouchesForPack(key, agentId.replace(/\.[^.]*$/, ''));

/** `vendor.acme.*` names everything below `vendor.acme`; any other text exactly itself. */
export const isNamedBy = (pattern: string, name: string): boolean =>
  pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

const KEY_ID_DIGITS = 16;

/** A name for a key without one: the beginning of its digest. */
export const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, KEY_ID_DIGITS);

export function readPrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below without the cause, which may repeat a part of the key.
  }
  const message =
    'Expected an Ed25519 private key in PEM form (PKCS 8, not encrypted), but got something else.';
  throw validationError([{ pointer: '/signing/privateKey', message }]);
}
