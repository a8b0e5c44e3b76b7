import { HostError } from '@touchstone/protocol';
import {
  type Config,
  openRegistry,
  type PublishedSuite,
  publishedOf,
  type RegistryIndex,
  type SuiteRegistry,
  systemClock,
} from '../../app/index.js';
import type { Suite } from '../../ports/index.js';
import { highestInRange } from '../../suites/index.js';
import { UsageError } from '../io.js';
import { didYouMean } from '../suggest.js';
import { parseSignedSuite } from './signed-suite.js';

/** A suite as a registry holds it. */
export type FetchedSuite = { readonly suite: Suite; readonly envelope?: string };

/** Where a version that is wanted lies. */
export type SuiteLocation = { readonly registry: SuiteRegistry; readonly published: PublishedSuite };

export const registryOf = (url: string, { egress }: Config): SuiteRegistry =>
  openRegistry(url, { egress, clock: systemClock });

/** The highest version of a suite in the first registry that has the suite. */
export async function findPublished(
  registries: readonly SuiteRegistry[],
  suiteId: string,
  range: string,
): Promise<SuiteLocation> {
  const known: string[] = [];
  for (const registry of registries) {
    const index = await registry.index();
    const versions = publishedOf(index, suiteId);
    if (versions) return { registry, published: pick(versions, suiteId, range, registry) };
    known.push(...Object.keys(index.suites));
  }
  const where = registries.map(({ url }) => url).join(' and ');
  throw new UsageError(
    `There is no suite ${suiteId} in ${where}.`,
    didYouMean(suiteId, known, 'Published') ?? 'Nothing is published there.',
  );
}

function pick(
  versions: readonly PublishedSuite[],
  suiteId: string,
  range: string,
  { url }: SuiteRegistry,
): PublishedSuite {
  const highest = highestInRange(
    versions.map(({ version }) => version),
    range,
  );
  const found = versions.find(({ version }) => version === highest);
  if (found) return found;
  const listed = versions.map(({ version }) => version).join(', ');
  throw new UsageError(
    `${url} has no version of ${suiteId} that ${range} includes.`,
    `Published there: ${listed || 'none'}.`,
  );
}

/** The version of a pin, as a registry lists it now. */
export const publishedAs = (
  index: RegistryIndex,
  suiteId: string,
  version: string,
): PublishedSuite | undefined => publishedOf(index, suiteId)?.find((one) => one.version === version);

/** Fetches both files. What arrives has to be what the list says, whoever has signed it. */
export async function fetchSuite({ registry, published }: SuiteLocation): Promise<FetchedSuite> {
  const { suiteId, version, digest } = published;
  const from = new URL(published.suite, registry.url).href;
  const suite = parseSignedSuite(await registry.suite(published), from);
  const { head } = suite;
  if (head.suiteId !== suiteId || head.version !== version)
    throw integrity(
      `${from} is ${head.suiteId}@${head.version}, and the index says ${suiteId}@${version}.`,
      `${suiteId}@${version}`,
    );
  if (head.digest !== digest)
    throw integrity(
      `${from} has the digest ${head.digest}, and the index says ${digest}. It was changed after it was published.`,
      `${suiteId}@${version}`,
    );
  const envelope = await registry.envelope(published);
  return { suite, ...(envelope && { envelope: envelope.toString('utf8') }) };
}

export const integrity = (message: string, suite: string): HostError =>
  new HostError('pack_integrity_failure', message, { suite });
