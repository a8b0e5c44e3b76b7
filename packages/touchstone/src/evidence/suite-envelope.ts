import type { Digest } from '@touchstone/protocol';
import { closed, constant } from '@touchstone/protocol/schema';
import { type AttestationKind, openAttestation, sealAttestation, subjectOf } from './attestation.js';
import type { Signing, TrustedKey } from './keys.js';

/** Room for sixteen signatures, and for the header of a request. */
const MOST_ENVELOPE_BYTES = 8 * 1024;

const predicate = closed({ canonicalization: constant('RFC 8785') });
const KIND: AttestationKind<typeof predicate> = {
  type: 'urn:touchstone:suite:v1',
  what: 'the envelope of a suite',
  mostBytes: MOST_ENVELOPE_BYTES,
  predicate,
};

/** A suite as its signature names it. */
export type SignedSuite = { readonly suiteId: string; readonly version: string; readonly digest: Digest };

const nameOf = ({ suiteId, version }: SignedSuite): string => `${suiteId}@${version}`;

/** The envelope that lies beside a suite: a key says that this name and version stand for this digest. */
export const sealSuite = (suite: SignedSuite, signing: Signing): string =>
  sealAttestation(
    KIND,
    { subject: [subjectOf(nameOf(suite), suite.digest)], predicate: { canonicalization: 'RFC 8785' } },
    signing,
  ).envelope;

export type SuiteEnvelopeReading = {
  /** Whether it names this suite and version, and this content. */
  readonly fits: 'yes' | 'other_suite' | 'other_content';
  readonly signers: readonly TrustedKey[];
  readonly keyIds: readonly string[];
};

/** Reads an envelope and holds it against the suite that it lies beside. Throws when it is none. */
export function openSuiteEnvelope(
  text: string,
  suite: SignedSuite,
  keys: readonly TrustedKey[],
): SuiteEnvelopeReading {
  const { subject, signers, keyIds } = openAttestation(KIND, text, keys);
  const [only] = subject;
  const isNamed = subject.length === 1 && only?.name === nameOf(suite);
  const isSame = `sha256:${only?.digest.sha256}` === suite.digest;
  return { fits: isNamed ? (isSame ? 'yes' : 'other_content') : 'other_suite', signers, keyIds };
}
