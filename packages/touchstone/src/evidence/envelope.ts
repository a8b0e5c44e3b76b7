import { sign, verify } from 'node:crypto';
import {
  canonicalJson,
  type HostError,
  isObject,
  type Json,
  ownMember,
  type Scorecard,
  validationError,
} from '@touchstone/protocol';
import { describeFile, fromBase64, fromUtf8, parseForeign } from './foreign-file.js';
import { readPrivateKey, type Signing, type TrustedKey, vouchesForAgent } from './keys.js';
import { type EvidenceHost, readStatement, type Statement } from './statement.js';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** Room for some 300 000 tasks: one takes about 220 bytes, and more with criteria or findings. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_SIGNATURES = 16;
const SIGNATURE_BYTES = 64;
const KEY_ID = /^\P{C}{1,256}$/u;

/**
 * Whose word a file is. `trusted`: a key the reader trusts has signed exactly this. `untrusted`: only keys the reader
 * does not know, which proves nothing, not even that the file is whole. `unsigned`: no signature.
 */
type SignatureState =
  | { readonly state: 'trusted'; readonly keyId: string }
  | { readonly state: 'untrusted'; readonly keyId?: string }
  | { readonly state: 'unsigned' };

export type OpenedEnvelope = {
  readonly scorecard: Scorecard;
  readonly host: EvidenceHost;
  readonly statement: Statement;
  readonly signature: SignatureState;
};

type Signature = { readonly keyId?: string; readonly bytes: Buffer };
type Envelope = { readonly payload: Buffer; readonly signatures: readonly Signature[] };

/**
 * The text of a scorecard file: a statement in a DSSE envelope. The same statement and key give the same bytes. It is
 * read first as any recipient would read it, so that nothing is signed which could not be opened, or which holds more
 * than a scorecard may.
 */
export function sealStatement(statement: Statement, signing?: Signing): string {
  const payload = Buffer.from(canonicalJson(readStatement(asText(statement)) as unknown as Json));
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: signing ? [signatureOf(payload, signing)] : [],
  };
  const text = `${JSON.stringify(envelope, null, 2)}\n`;
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw refusal('', `This scorecard has too many tasks for a file of ${MOST_BYTES} bytes.`);
  return text;
}

/** As it will be read from the file: without members that JSON does not write. */
const asText = (statement: Statement): unknown => JSON.parse(JSON.stringify(statement));

/** Reads a scorecard file. A signature that claims to be a trusted key's, and is not, refuses the whole file. */
export function openEnvelope(text: string, keys: readonly TrustedKey[]): OpenedEnvelope {
  const envelope = readEnvelope(text);
  const signers = checkSignatures(envelope, keys);
  const statement = readPayload(envelope.payload);
  const { scorecard, host } = statement.predicate;
  const signature = signatureState(envelope, signers, scorecard.agent.agentId);
  return { scorecard, host, statement, signature };
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

function readEnvelope(text: string): Envelope {
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw refusal('', `Expected a scorecard file of at most ${MOST_BYTES} bytes, but this one is larger.`);
  const parsed = parseForeign(text);
  if ('problem' in parsed) throw refusal('', `Expected a scorecard file, but ${parsed.problem}.`);
  const { value } = parsed;
  if (!isObject(value) || ['payloadType', 'payload'].some((name) => ownMember(value, name) === undefined))
    throw refusal('', `Expected a scorecard file, signed or not, but found ${describeFile(value)}`);
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

/** The trusted keys that have signed this. */
function checkSignatures(
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

/** A key that is limited to some names is unknown where it comes to others. */
function signatureState(
  { signatures: [first] }: Envelope,
  signers: readonly TrustedKey[],
  agentId: string,
): SignatureState {
  if (!first) return { state: 'unsigned' };
  const trusted = signers.find((key) => vouchesForAgent(key, agentId));
  if (trusted) return { state: 'trusted', keyId: trusted.keyId };
  return { state: 'untrusted', ...(first.keyId !== undefined && { keyId: first.keyId }) };
}

const isSignedBy = ({ publicKey }: TrustedKey, signed: Buffer, signature: Buffer): boolean =>
  publicKey.asymmetricKeyType === 'ed25519' && verify(null, signed, publicKey, signature);

function readPayload(payload: Buffer): Statement {
  const text = fromUtf8(payload);
  const parsed = text === undefined ? { problem: 'this is no JSON' } : parseForeign(text);
  if ('problem' in parsed) throw refusal('/payload', `Expected an in-toto statement, but ${parsed.problem}.`);
  return readStatement(parsed.value);
}

const refusal = (pointer: string, message: string): HostError => validationError([{ pointer, message }]);
