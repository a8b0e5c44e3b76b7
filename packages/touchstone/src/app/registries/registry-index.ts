import { asId, type Digest, HostError, type Version } from '@touchstone/protocol';
import { closed, constant, mapOf, schemaIssues, text, type Wire } from '@touchstone/protocol/schema';
import { jsonOf } from '../../suites/index.js';

// The list of a registry: a folder of static files that says which suites lie in it, by name, version and digest.

export const INDEX_FILE = 'index.json';
const FORMAT = 'touchstone.suite-registry/1';

/** A file of the same folder: no path can lead out of it. */
const fileName = text(undefined, {
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,255}$',
  title: 'the name of a file in the same folder',
});
const versionShape = closed(
  {
    digest: text(undefined, { pattern: '^sha256:[0-9a-f]{64}$', title: 'sha256:<64 hex digits>' }),
    suite: fileName,
  },
  { envelope: fileName },
);
const suiteName = text(undefined, { pattern: '^[a-z0-9.-]+\\.evals\\.[a-z0-9-]+$', title: 'a suite id' });
const suiteVersion = text(undefined, { pattern: '^\\d+\\.\\d+\\.\\d+$', title: 'a version such as 1.0.0' });
const indexShape = closed({
  format: constant(FORMAT),
  suites: mapOf(mapOf(versionShape, suiteVersion), suiteName),
});

export type RegistryIndex = Wire<typeof indexShape>;
/** One version of a suite in a registry. */
export type PublishedSuite = {
  readonly suiteId: string;
  readonly version: Version;
  readonly digest: Digest;
  /** Names of files beside the index. */
  readonly suite: string;
  readonly envelope?: string;
};

export const EMPTY_INDEX: RegistryIndex = { format: FORMAT, suites: {} };

/** Reads a list. `from` names it in messages. */
export function readIndex(bytes: Buffer, from: string): RegistryIndex {
  const value = jsonOf(bytes)?.value;
  const [first] = value === undefined ? [] : schemaIssues(indexShape, value, { hidesNames: true });
  if (value !== undefined && !first) return value as RegistryIndex;
  const why = first ? `${first.pointer}: ${first.message}` : 'It is no JSON.';
  throw new HostError(
    'validation_error',
    `${from} is not the ${INDEX_FILE} of a suite registry (${FORMAT}). ${why}`,
  );
}

export const writeIndex = ({ format, suites }: RegistryIndex): string => {
  const names = Object.keys(suites).sort();
  return `${JSON.stringify({ format, suites: Object.fromEntries(names.map((name) => [name, suites[name]])) }, null, 2)}\n`;
};

/** What a list has of a suite, undefined when it does not name it. */
export const publishedOf = (
  { suites }: RegistryIndex,
  suiteId: string,
): readonly PublishedSuite[] | undefined =>
  Object.hasOwn(suites, suiteId)
    ? Object.entries(suites[suiteId] ?? {}).map(([version, entry]) => ({
        suiteId,
        version: asId<Version>(version),
        ...entry,
        digest: asId<Digest>(entry.digest),
      }))
    : undefined;

/** Adds a version. One that is there keeps its digest for good; it may get an envelope. */
export function withPublished(index: RegistryIndex, published: PublishedSuite): RegistryIndex {
  const { suiteId, version, digest, suite, envelope } = published;
  const standing = publishedOf(index, suiteId)?.find((one) => one.version === version);
  if (standing && standing.digest !== digest)
    throw new HostError(
      'conflict',
      `${suiteId}@${version} is published with another digest. A published version never changes: raise the version.`,
      { published: standing.digest, digest },
    );
  const kept = envelope ?? standing?.envelope;
  const entry = { digest, suite, ...(kept !== undefined && { envelope: kept }) };
  const versions = { ...index.suites[suiteId], [version]: entry };
  return { ...index, suites: { ...index.suites, [suiteId]: versions } };
}
