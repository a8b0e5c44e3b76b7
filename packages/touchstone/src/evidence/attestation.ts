import { canonicalJson, type Digest, isObject, type Json, ownMember } from '@touchstone/protocol';
import { closed, list, type Schema, text, type Wire } from '@touchstone/protocol/schema';
import { Reading } from './check-scorecard.js';
import { readEnvelope, readPayload, sealPayload, signersOf } from './dsse.js';
import type { Signing, TrustedKey } from './keys.js';

// Statements about things that are named by their digests: a suite, the audit log up to a record, the files of a bundle.

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** A thing that a statement is about. In-toto names the algorithm by the member, so the digest goes without its prefix. */
export type Subject = { readonly name: string; readonly digest: { readonly sha256: string } };

export const subjectOf = (name: string, digest: Digest | string): Subject => ({
  name,
  digest: { sha256: digest.replace(/^sha256:/, '') },
});

/** A kind of statement: what its files are called, how large they are, and what its predicate looks like. */
export type AttestationKind<S extends Schema> = {
  readonly type: string;
  /** `envelope of a suite`. */
  readonly what: string;
  readonly mostBytes: number;
  readonly predicate: S;
};

export type Attestation<P> = { readonly subject: readonly Subject[]; readonly predicate: P };

export type AttestationReading<P> = Attestation<P> & {
  /** The trusted keys that have signed it. */
  readonly signers: readonly TrustedKey[];
  /** The names under which it says it is signed. */
  readonly keyIds: readonly string[];
  /** The signed bytes. */
  readonly payload: Buffer;
};

/** The bytes that are signed: the statement in canonical JSON. */
const payloadOf = <S extends Schema>(
  { type }: AttestationKind<S>,
  { subject, predicate }: Attestation<Wire<S>>,
): Buffer =>
  Buffer.from(
    canonicalJson({
      _type: STATEMENT_TYPE,
      predicateType: type,
      subject,
      predicate,
    } as unknown as Json),
  );

export function sealAttestation<S extends Schema>(
  kind: AttestationKind<S>,
  statement: Attestation<Wire<S>>,
  signing: Signing,
): { readonly envelope: string; readonly payload: Buffer } {
  const payload = payloadOf(kind, statement);
  const envelope = sealPayload(payload, signing);
  // Read first as any recipient would read it, so that nothing is signed which could not be opened.
  openAttestation(kind, envelope, []);
  return { envelope, payload };
}

/** Reads a statement. A signature that claims to be a trusted key's, and is not, refuses the whole file. */
export function openAttestation<S extends Schema>(
  kind: AttestationKind<S>,
  text: string,
  keys: readonly TrustedKey[],
): AttestationReading<Wire<S>> {
  const envelope = readEnvelope(text, kind);
  const signers = signersOf(envelope, keys);
  const statement = readAttestation(kind, readPayload(envelope));
  const keyIds = envelope.signatures.flatMap(({ keyId }) => keyId ?? []);
  return { ...statement, signers, keyIds, payload: envelope.payload };
}

const subjects = list(
  closed({
    name: text(undefined, { minLength: 1, maxLength: 1024, pattern: '^\\P{C}+$' }),
    digest: closed({
      sha256: text(undefined, { pattern: '^[0-9a-f]{64}$', title: '64 hexadecimal digits' }),
    }),
  }),
  undefined,
  { minItems: 1, maxItems: 10_000 },
);

function readAttestation<S extends Schema>(
  { type, what, predicate }: AttestationKind<S>,
  value: unknown,
): Attestation<Wire<S>> {
  const reading = new Reading();
  const given = isObject(value) ? value : {};
  if (ownMember(given, '_type') !== STATEMENT_TYPE)
    reading.at('_type', () => reading.refuse(`Expected an in-toto statement, of type ${STATEMENT_TYPE}.`));
  if (ownMember(given, 'predicateType') !== type)
    reading.at('predicateType', () => reading.refuse(`Expected ${what}, of type ${type}.`));
  reading.finish();
  return {
    subject: reading.at('subject', () => reading.parse(subjects, ownMember(given, 'subject'))),
    predicate: reading.at('predicate', () => reading.parse(predicate, ownMember(given, 'predicate'))),
  };
}
