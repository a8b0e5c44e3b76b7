import { type AuditRecord, type Digest, type Owner, timestampOf } from '@touchstone/protocol';
import { closed, integer, text, type Wire } from '@touchstone/protocol/schema';
import {
  type AttestationKind,
  type AttestationReading,
  openAttestation,
  sealAttestation,
  subjectOf,
} from './attestation.js';
import { refusal } from './dsse.js';
import type { Signing, TrustedKey } from './keys.js';

const ownerName = text(undefined, { pattern: '^[^\\p{C}/]{1,256}$' });
const line = text(undefined, { pattern: '^\\P{C}{1,256}$' });
const predicate = closed({
  owner: closed({ tenant: ownerName, workspace: ownerName }),
  /** How many records the log had: the head is the digest of the last of them. */
  records: integer(undefined, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  head: text(undefined, { pattern: '^sha256:[0-9a-f]{64}$' }),
  at: text(undefined, { pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$' }),
  host: closed({ name: line, version: line }),
});
const KIND: AttestationKind<typeof predicate> = {
  type: 'urn:touchstone:audit-checkpoint:v1',
  what: 'a checkpoint of an audit log',
  mostBytes: 16 * 1024,
  predicate,
};

/** What a host says of its audit log at one moment: so many records, and the digest of the last one. */
export type Checkpoint = Wire<typeof predicate>;
type CheckpointHost = Checkpoint['host'];

export const checkpointOf = (
  { tenant, workspace }: Owner,
  { seq, digest }: Pick<AuditRecord, 'seq' | 'digest'>,
  at: number,
  host: CheckpointHost,
): Checkpoint => ({ owner: { tenant, workspace }, records: seq, head: digest, at: timestampOf(at), host });

const subjectName = ({ owner, records }: Checkpoint): string =>
  `audit/${owner.tenant}/${owner.workspace}#${records}`;

export const sealCheckpoint = (checkpoint: Checkpoint, signing: Signing): string =>
  sealAttestation(
    KIND,
    { subject: [subjectOf(subjectName(checkpoint), checkpoint.head as Digest)], predicate: checkpoint },
    signing,
  ).envelope;

/** Reads a checkpoint. Throws when it is none, or claims a signature of a trusted key that does not fit. */
export function openCheckpoint(text: string, keys: readonly TrustedKey[]): AttestationReading<Checkpoint> {
  const opened = openAttestation(KIND, text, keys);
  const { predicate, subject } = opened;
  const [only] = subject;
  const isItsOwn =
    subject.length === 1 &&
    only?.name === subjectName(predicate) &&
    `sha256:${only.digest.sha256}` === predicate.head;
  if (!isItsOwn) throw refusal('/subject', 'Expected the audit log of the checkpoint, by its head.');
  return opened;
}
