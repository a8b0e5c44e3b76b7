import { type KeyObject, sign, verify } from 'node:crypto';
import { type HostError, isObject, type Json, ownMember, validationError } from '@touchstone/protocol';
import { fromBase64, fromUtf8, parseForeign } from './foreign-file.js';
import { readPrivateKey, type Signing, type TrustedKey } from './keys.js';

// A DSSE envelope around an in-toto statement: the one form in which anything is signed that travels by itself.

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const MOST_SIGNATURES = 16;
const SIGNATURE_BYTES = 64;
const KEY_ID = /^\P{C}{1,256}$/u;

type Signature = { readonly keyId?: string; readonly bytes: Buffer };
export type Envelope = { readonly payload: Buffer; readonly signatures: readonly Signature[] };

/** What a reader expects, for its words. */
export type EnvelopeKind = {
  /** `a scorecard file`. */
  readonly what: string;
  readonly mostBytes: number;
  /** Names a document that is none; ends with a full stop. */
  readonly describe?: (value: unknown) => string;
};

/** The text of an envelope. The same payload and key give the same bytes. */
export function sealPayload(payload: Buffer, signing?: Signing): string {
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: signing ? [signatureOf(payload, signing)] : [],
  };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** What is signed: type and content with their lengths, so that neither can pass for a part of the other. */
function signedBytes(payload: Buffer): Buffer {
  const type = Buffer.byteLength(PAYLOAD_TYPE);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

function signatureOf(payload: Buffer, { keyId, privateKey }: Signing): Json {
  if (!KEY_ID.test(keyId))
    throw refusal('/signing/keyId', 'Expected a name of at most 256 characters, on one line.');
  const bytes = sign(null, signedBytes(payload), readPrivateKey(privateKey));
  return { keyid: keyId, sig: bytes.toString('base64') };
}

export function readEnvelope(text: string, { what, mostBytes, describe }: EnvelopeKind): Envelope {
  if (Buffer.byteLength(text) > mostBytes)
    throw refusal('', `Expected ${what} of at most ${mostBytes} bytes, but this one is larger.`);
  const parsed = parseForeign(text);
  if ('problem' in parsed) throw refusal('', `Expected ${what}, but ${parsed.problem}.`);
  const { value } = parsed;
  if (!isObject(value) || ['payloadType', 'payload'].some((name) => ownMember(value, name) === undefined))
    throw refusal(
      '',
      `Expected ${what}, signed or not, but found ${describe?.(value) ?? 'another document.'}`,
    );
  if (ownMember(value, 'payloadType') !== PAYLOAD_TYPE)
    throw refusal('/payloadType', `Expected an envelope around an in-toto statement (${PAYLOAD_TYPE}).`);
  const payload = fromBase64(ownMember(value, 'payload'));
  if (!payload)
    throw refusal('/payload', 'Expected standard base64 with padding. The file has been changed.');
  return { payload, signatures: readSignatures(ownMember(value, 'signatures')) };
}

function readSignatures(value: unknown): readonly Signature[] {
  if (!Array.isArray(value) || value.length > MOST_SIGNATURES)
    throw refusal('/signatures', `Expected an array of at most ${MOST_SIGNATURES} signatures.`);
  return value.map((entry: unknown, index) => readSignature(entry, `/signatures/${index}`));
}

/** A key id may be missing or empty: the reader cannot know the key of such a signature. */
function readSignature(value: unknown, pointer: string): Signature {
  if (!isObject(value)) throw refusal(pointer, 'Expected an object with keyid and sig.');
  const bytes = fromBase64(ownMember(value, 'sig'));
  if (bytes?.length !== SIGNATURE_BYTES)
    throw refusal(`${pointer}/sig`, `Expected a signature of ${SIGNATURE_BYTES} bytes in standard base64.`);
  const keyId = ownMember(value, 'keyid') ?? '';
  if (keyId === '') return { bytes };
  if (typeof keyId !== 'string' || !KEY_ID.test(keyId))
    throw refusal(`${pointer}/keyid`, 'Expected the name of a key, of at most 256 characters, on one line.');
  return { keyId, bytes };
}

/** The trusted keys that have signed this. A signature that claims to be a trusted key's, and is not, refuses all of it. */
export function signersOf(
  { payload, signatures }: Envelope,
  keys: readonly TrustedKey[],
): readonly TrustedKey[] {
  const signed = signedBytes(payload);
  return signatures.flatMap(({ keyId, bytes }, index) => {
    const named = keys.filter((key) => key.keyId === keyId);
    if (keyId === undefined || named.length === 0) return [];
    const signers = named.filter((key) => isSignedBy(key, signed, bytes));
    if (signers.length > 0) return signers;
    const message = `The signature of key ${keyId} does not fit. The file has been changed since it was signed, or somebody else signed it under that name.`;
    throw refusal(`/signatures/${index}/sig`, message);
  });
}

const isSignedBy = ({ publicKey }: TrustedKey, signed: Buffer, signature: Buffer): boolean =>
  publicKey.asymmetricKeyType === 'ed25519' && verify(null, signed, publicKey, signature);

/** Keys without names, each under the names that it has signed this under. A text that is no envelope has none. */
export function namedBySignature(text: string, keys: readonly KeyObject[]): readonly TrustedKey[] {
  let envelope: Envelope;
  try {
    envelope = readEnvelope(text, { what: 'an envelope', mostBytes: 64 * 1024 * 1024 });
  } catch {
    return [];
  }
  const signed = signedBytes(envelope.payload);
  return envelope.signatures.flatMap(({ keyId, bytes }) =>
    keyId === undefined
      ? []
      : keys.map((publicKey) => ({ keyId, publicKey })).filter((key) => isSignedBy(key, signed, bytes)),
  );
}

/** The statement in an envelope, as JSON that nobody has looked at yet. */
export function readPayload({ payload }: Envelope): unknown {
  const text = fromUtf8(payload);
  const parsed = text === undefined ? { problem: 'this is no JSON' } : parseForeign(text);
  if ('problem' in parsed) throw refusal('/payload', `Expected an in-toto statement, but ${parsed.problem}.`);
  return parsed.value;
}

export const refusal = (pointer: string, message: string): HostError =>
  validationError([{ pointer, message }]);
