import { canonicalJson, type Json, type Scorecard } from '@touchstone/protocol';
import {
  type Envelope,
  type EnvelopeKind,
  readEnvelope,
  readPayload,
  refusal,
  sealPayload,
  signersOf,
} from './dsse.js';
import { describeFile } from './foreign-file.js';
import { type Signing, type TrustedKey, vouchesForAgent } from './keys.js';
import { type EvidenceHost, readStatement, type Statement } from './statement.js';

/** Room for some 300 000 tasks: one takes about 220 bytes, and more with criteria or findings. */
const MOST_BYTES = 64 * 1024 * 1024;
const KIND: EnvelopeKind = { what: 'a scorecard file', mostBytes: MOST_BYTES, describe: describeFile };

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

/**
 * The text of a scorecard file: a statement in a DSSE envelope. The same statement and key give the same bytes. It is
 * read first as any recipient would read it, so that nothing is signed which could not be opened, or which holds more
 * than a scorecard may.
 */
export function sealStatement(statement: Statement, signing?: Signing): string {
  const payload = Buffer.from(canonicalJson(readStatement(asText(statement)) as unknown as Json));
  const text = sealPayload(payload, signing);
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw refusal('', `This scorecard has too many tasks for a file of ${MOST_BYTES} bytes.`);
  return text;
}

/** As it will be read from the file: without members that JSON does not write. */
const asText = (statement: Statement): unknown => JSON.parse(JSON.stringify(statement));

/** Reads a scorecard file. A signature that claims to be a trusted key's, and is not, refuses the whole file. */
export function openEnvelope(text: string, keys: readonly TrustedKey[]): OpenedEnvelope {
  const envelope = readEnvelope(text, KIND);
  const signers = signersOf(envelope, keys);
  const statement = readStatement(readPayload(envelope));
  const { scorecard, host } = statement.predicate;
  const signature = signatureState(envelope, signers, scorecard.agent.agentId);
  return { scorecard, host, statement, signature };
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
