import { defined, HostError, isHostError, type JsonObject } from '@touchstone/protocol';
import { type Config, type SuitePin, trustOf } from '../../app/index.js';
import { verifySuite } from '../../packs/index.js';
import { isInRange, parseSuiteRange, suiteDocument } from '../../suites/index.js';
import { type Context, UsageError, writeLine } from '../io.js';
import { readConfig } from '../local.js';
import { absent } from '../run-lookup.js';
import type { Session } from '../session.js';
import {
  type FetchedSuite,
  fetchSuite,
  findPublished,
  integrity,
  publishedAs,
  registryOf,
  type SuiteLocation,
} from './registry-fetch.js';
import { keepPin, keepSuite, keptSuite, readPins } from './suite-pins.js';
import { findInFolders, type SuiteSource, suiteFiles } from './suite-source.js';

type RegistryOptions = { readonly registry?: string; readonly dryRun?: boolean };

/**
 * A suite of a registry, fetched, verified, pinned and installed; undefined when the argument means something else. Once it
 * is pinned it comes from this machine, whatever the registry says.
 */
export async function openRegistered(
  context: Context,
  session: Session,
  argument: string,
  options: RegistryOptions,
): Promise<SuiteSource | undefined> {
  const wanted = suiteFiles(argument, context.io.cwd) ? undefined : parseSuiteRange(argument);
  if (!wanted) {
    if (options.registry === undefined) return undefined;
    throw new UsageError(
      `--registry is about a suite given by its id, and ${argument} is none.`,
      'For example: touchstone run acme.shop.evals.desk@^1 --registry https://evals.example.com/suites/',
    );
  }
  const config = session.local?.config ?? (await readConfig(context));
  const { suiteId, range, isPlain } = wanted;
  const pin = readPins(config).find(({ name }) => name === suiteId);
  if (!pin && options.registry === undefined && isPlain && (await isHere(session, config, argument)))
    return undefined;
  if (!pin && options.registry === undefined && config.registries.length === 0)
    return isPlain ? undefined : noRegistry(argument);
  const { suite, envelope } = pin
    ? await openPin(context, config, pin, range)
    : await pinNew(context, config, suiteId, range, options);
  const { digest, version } = suite.head;
  await session.client.suites.install(suiteDocument(suite) as JsonObject, defined({ envelope }));
  return { kind: 'reference', reference: `${suiteId}@${version}`, digest };
}

function noRegistry(argument: string): never {
  throw new UsageError(
    `${argument} is a range of versions, and there is no registry to look in.`,
    'Name one with --registry <url>, or in "registries" of the configuration.',
  );
}

/** Whether a plain reference is answered without a registry: by a folder of the configuration, or by what is installed. */
async function isHere({ client, local }: Session, config: Config, reference: string): Promise<boolean> {
  if (local && findInFolders(reference, config)) return true;
  return (await client.suites.head(reference).catch(absent)) !== undefined;
}

async function pinNew(
  context: Context,
  config: Config,
  suiteId: string,
  range: string,
  { registry, dryRun }: RegistryOptions,
): Promise<FetchedSuite> {
  const urls = registry === undefined ? config.registries : [registry];
  const found = await findPublished(
    urls.map((url) => registryOf(url, config)),
    suiteId,
    range,
  );
  const { fetched, pin } = await pinOf(context, config, found, range);
  if (dryRun) return fetched;
  keepSuite(context, fetched);
  keepPin(config, pin);
  writeLine(context.io.stderr, `pinned ${suiteId}@${pin.version} in touchstone.lock.json`);
  return fetched;
}

/** Fetches what was found, verifies it, and says what to write into the lock. */
export async function pinOf(
  context: Context,
  config: Config,
  found: SuiteLocation,
  range: string,
): Promise<{ readonly fetched: FetchedSuite; readonly pin: SuitePin }> {
  const fetched = await fetchSuite(found);
  const keyId = signerOf(context, config, fetched);
  const { suiteId: name, version, digest } = fetched.suite.head;
  return {
    fetched,
    pin: { name, range, version, digest, registry: found.registry.url, ...defined({ keyId }) },
  };
}

function signerOf({ io }: Context, config: Config, { suite, envelope }: FetchedSuite): string | undefined {
  const { signedBy, warnings } = verifySuite(suite.head, envelope, trustOf(config, 'cli'));
  for (const warning of warnings) writeLine(io.stderr, `note: ${warning}`);
  return signedBy;
}

async function openPin(
  context: Context,
  config: Config,
  pin: SuitePin,
  range: string,
): Promise<FetchedSuite> {
  const { name, version, keyId } = pin;
  if (!isInRange(version, range))
    throw new UsageError(
      `touchstone.lock.json pins ${name} to ${version}, which ${range} does not include.`,
      `Move the pin with: touchstone suite update '${name}@${range}'`,
    );
  const fetched = keptSuite(context, pin.digest) ?? (await fetchPinned(config, pin));
  const signedBy = signerOf(context, config, fetched);
  if (keyId !== undefined && signedBy !== keyId)
    throw new HostError(
      'pack_signature_invalid',
      `${name}@${version} is pinned with the signature of key ${keyId}, and ${signedBy === undefined ? 'no key of trust.keys has signed it now' : `now it is key ${signedBy}`}.`,
      { suite: `${name}@${version}` },
    );
  keepSuite(context, fetched);
  return fetched;
}

async function fetchPinned(config: Config, pin: SuitePin): Promise<FetchedSuite> {
  const { name, version, digest } = pin;
  const registry = registryOf(pin.registry, config);
  const index = await registry.index().catch((error: unknown) => {
    if (!isHostError(error)) throw error;
    throw new HostError(
      error.code,
      `${name}@${version} is pinned, and is not kept on this machine. ${error.message}`,
      error.details,
    );
  });
  const published = publishedAs(index, name, version);
  if (!published)
    throw new UsageError(
      `${registry.url} no longer has ${name}@${version}, which touchstone.lock.json pins.`,
      `Move the pin with: touchstone suite update ${name}`,
    );
  checkPinned(pin, published.digest);
  const fetched = await fetchSuite({ registry, published });
  if (fetched.suite.head.digest !== digest) checkPinned(pin, fetched.suite.head.digest);
  return fetched;
}

/** A published version never changes. One that does was tampered with, or its registry is another one. */
export function checkPinned({ name, version, digest, registry }: SuitePin, offered: string): void {
  if (offered === digest) return;
  throw integrity(
    `${registry} offers ${name}@${version} with the digest ${offered}, and touchstone.lock.json pins ${digest}. A published version never changes: ask who publishes it.`,
    `${name}@${version}`,
  );
}
