import { createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';
import { validationError } from '@touchstone/protocol';

/** Who signs, and with what. */
export type Signing = { readonly keyId: string; readonly privateKey: string };

const SIGNATURE_BYTES = 64;
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{86}==\s*$/;

export function signBytes(bytes: Buffer, { privateKey }: Signing): Buffer {
  return sign(null, bytes, readPrivateKey(privateKey));
}

/** `signature` as it lies in a pack: 64 raw bytes, or the same as base64 text. */
export function isSignedBy(key: KeyObject, bytes: Buffer, signature: Buffer | undefined): boolean {
  const raw = signature && rawSignature(signature);
  return raw !== undefined && verify(null, bytes, key, raw);
}

function rawSignature(bytes: Buffer): Buffer | undefined {
  if (bytes.length === SIGNATURE_BYTES) return bytes;
  const text = bytes.toString('latin1');
  return BASE64_SIGNATURE.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function readPrivateKey(pem: string): KeyObject {
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
