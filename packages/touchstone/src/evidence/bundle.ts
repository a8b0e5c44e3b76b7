import { createHash } from 'node:crypto';
import { closed, list, text, type Wire } from '@touchstone/protocol/schema';
import { type AttestationKind, openAttestation, sealAttestation, subjectOf } from './attestation.js';
import type { Signing, TrustedKey } from './keys.js';

// The files of a bundle, and one signed statement that names each of them by its digest.

const MANIFEST_FILE = 'manifest.json';
const MANIFEST_ENVELOPE = 'manifest.dsse.json';
/** The same digests as sha256sum writes them. */
const SUMS_FILE = 'SHA256SUMS';

export type BundleFiles = ReadonlyMap<string, Buffer>;

const line = text(undefined, { pattern: '^\\P{C}{1,256}$' });
const predicate = closed({
  runId: line,
  createdAt: text(undefined, { pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$' }),
  host: closed({ name: line, version: line }),
  /** The parts that it holds, by name. */
  parts: list(line, undefined, { minItems: 1, maxItems: 100 }),
});
const KIND: AttestationKind<typeof predicate> = {
  type: 'urn:touchstone:evidence-bundle:v1',
  what: 'the manifest of an evidence bundle',
  mostBytes: 4 * 1024 * 1024,
  predicate,
};

export type BundleFacts = Wire<typeof predicate>;

export const sha256Hex = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

const namesOf = (files: BundleFiles): readonly string[] => [...files.keys()].sort();

const sumsOf = (files: BundleFiles): Buffer =>
  Buffer.from(
    namesOf(files)
      .map((name) => `${sha256Hex(files.get(name) as Buffer)}  ${name}\n`)
      .join(''),
  );

/** Adds the sums and the signed manifest to the files of the parts. */
export function sealBundle(files: BundleFiles, facts: BundleFacts, signing: Signing): BundleFiles {
  const listed = new Map([...files, [SUMS_FILE, sumsOf(files)] as const]);
  const subject = namesOf(listed).map((name) => subjectOf(name, sha256Hex(listed.get(name) as Buffer)));
  const { envelope, payload } = sealAttestation(KIND, { subject, predicate: facts }, signing);
  return new Map([...listed, [MANIFEST_FILE, payload], [MANIFEST_ENVELOPE, Buffer.from(envelope)]]);
}

export type BundleReading = {
  readonly facts: BundleFacts;
  readonly signers: readonly TrustedKey[];
  readonly keyIds: readonly string[];
  /** What is wrong with the files, by their names. */
  readonly troubles: readonly string[];
};

/** Reads the manifest and holds every file against it. Throws when there is none, or its signature does not fit. */
export function openBundle(files: BundleFiles, keys: readonly TrustedKey[]): BundleReading {
  const envelope = files.get(MANIFEST_ENVELOPE)?.toString('utf8') ?? '';
  const { subject, predicate: facts, signers, keyIds, payload } = openAttestation(KIND, envelope, keys);
  const listed = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  const own = [MANIFEST_FILE, MANIFEST_ENVELOPE];
  const troubles = [
    ...(listed.size === subject.length ? [] : ['The manifest names a file twice.']),
    ...(files.get(MANIFEST_FILE)?.equals(payload)
      ? []
      : [`${MANIFEST_FILE} is not what the signature covers.`]),
    ...[...listed].flatMap(([name, digest]) => fileTrouble(name, digest, files)),
    ...namesOf(files).flatMap((name) =>
      listed.has(name) || own.includes(name) ? [] : [`${shown(name)} is not in the manifest: it was added.`],
    ),
    ...sumsTrouble(files),
  ];
  return { facts, signers, keyIds, troubles };
}

function fileTrouble(name: string, digest: string, files: BundleFiles): readonly string[] {
  const bytes = files.get(name);
  if (!bytes) return [`${shown(name)} is in the manifest and not in the bundle: it was taken away.`];
  return sha256Hex(bytes) === digest
    ? []
    : [`${shown(name)} is not the file that was signed: it was changed.`];
}

/** Who has only sha256sum reads this list instead of the manifest. */
function sumsTrouble(files: BundleFiles): readonly string[] {
  const others = new Map(
    [...files].filter(([name]) => ![SUMS_FILE, MANIFEST_FILE, MANIFEST_ENVELOPE].includes(name)),
  );
  return files.get(SUMS_FILE)?.equals(sumsOf(others)) ? [] : [`${SUMS_FILE} does not fit the files.`];
}

const shown = (name: string): string => name.replaceAll(/\P{ASCII}|\p{C}/gu, '?').slice(0, 200);
