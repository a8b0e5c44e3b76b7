import { HostError, isHostError, validationError } from '@touchstone/protocol';
import { createGuard } from '../../net/index.js';
import type { Clock } from '../../ports/index.js';
import { httpGet, startLifetime } from '../../profiles/index.js';
import type { Config } from '../config/config-types.js';
import { INDEX_FILE, type PublishedSuite, type RegistryIndex, readIndex } from './registry-index.js';

const MIB = 1024 * 1024;
const TIMEOUT_MS = 60_000;
/** The most bytes of each file. A suite is held in memory as a whole. */
const MOST_BYTES = { index: 8 * MIB, suite: 64 * MIB, envelope: 8 * 1024 } as const;

/** A folder of suites that is served over HTTPS. */
export type SuiteRegistry = {
  /** Its address, with a slash at its end. */
  readonly url: string;
  index(): Promise<RegistryIndex>;
  suite(published: PublishedSuite): Promise<Buffer>;
  /** Undefined when the suite was published without one. */
  envelope(published: PublishedSuite): Promise<Buffer | undefined>;
};

type RegistryParts = { readonly egress: Config['egress']; readonly clock: Clock };

/**
 * Opens a registry that the operator has named. Its own address is not guarded, because the operator chose it; whatever it
 * redirects to is, by the rules for datasets.
 */
export function openRegistry(address: string, { egress, clock }: RegistryParts): SuiteRegistry {
  const base = registryUrl(address);
  const guard = createGuard(egress);
  const read = async (file: string, kind: keyof typeof MOST_BYTES): Promise<Buffer> => {
    const url = new URL(file, base);
    const lifetime = startLifetime(clock, TIMEOUT_MS);
    const maxBytes = MOST_BYTES[kind];
    const guardFor = (next: URL) => (next.origin === base.origin ? undefined : guard);
    try {
      const { bytes } = await httpGet({
        scheme: base.protocol.replace(':', ''),
        ...{ url, guardFor, followRedirects: true, maxBytes, lifetime },
      });
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      return Buffer.concat(pieces);
    } catch (error) {
      throw isHostError(error) ? registryError(error, url, maxBytes) : error;
    }
  };
  return {
    url: base.href,
    index: async () => readIndex(await read(INDEX_FILE, 'index'), new URL(INDEX_FILE, base).href),
    suite: ({ suite }) => read(suite, 'suite'),
    envelope: async ({ envelope }) => (envelope === undefined ? undefined : read(envelope, 'envelope')),
  };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Nobody between here and there may change what arrives, so plain http is for this machine only. */
export function registryUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!url || !isSafe || !isPlain)
    throw validationError([
      {
        pointer: '/registries',
        message:
          'Expected the address of a registry: an https URL of a folder, without user name, query and fragment. Plain http is for this machine only.',
      },
    ]);
  const path = url.pathname.replace(new RegExp(`/${INDEX_FILE.replace('.', '\\.')}$`), '/');
  url.pathname = path.endsWith('/') ? path : `${path}/`;
  return url;
}

type Wording = (where: string, most: number, error: HostError) => string;
const TOLD: { readonly [code: string]: Wording } = {
  dataset_not_found: (where) => `There is no ${where}.`,
  dataset_denied: (where) => `Fetching ${where} was denied.`,
  dataset_too_large: (where, most) => `${where} is larger than ${most} bytes, and is not read further.`,
  dataset_unavailable: (where) => `${where} cannot be reached.`,
  dataset_timeout: (where) => `Fetching ${where} took too long.`,
  dataset_refused: (where, _, { message }) =>
    `${where} is not fetched. ${message.replace(/^.*?cannot be fetched by \w+:\. /, '').replace(/^Fetching the dataset by \w+: failed/, 'It failed')}`,
};

/** The rules are those of datasets, and the words are not. */
function registryError(error: HostError, url: URL, most: number): HostError {
  const code = String(error.details?.code);
  const message = TOLD[code]?.(url.href, most, error) ?? error.message;
  return new HostError(error.code, message, { code: code.replace('dataset_', 'registry_') });
}
