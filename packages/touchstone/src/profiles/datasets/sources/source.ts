import { promises as dns, type LookupAddress } from 'node:dns';
import { isIPv4 } from 'node:net';
import { basename, relative } from 'node:path';
import { createGuard, type Guard, GuardRefusal, type Names } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { datasetError } from '../errors.js';
import { decodeDataUri } from '../formats/format.js';
import type { DatasetUri } from '../uri.js';
import { type DatasetConfig, isWebAddress } from './config.js';
import { type GuardFor, httpGet, startLifetime } from './http-get.js';
import { type DatasetFile, openBelow } from './jail.js';
import { encodeSegment, signGet } from './s3.js';

export type OpenOptions = {
  /** The folder of the definition, or of the pack it came in. Without one, relative paths lead nowhere. */
  readonly baseDir?: string;
  /** Who wrote the URI. */
  readonly trust: 'operator' | 'tenant';
  /** Whose definition it is, when it is a tenant's. */
  readonly tenant?: string;
  readonly signal?: AbortSignal;
};

export type DatasetSource = { open(uri: DatasetUri, options: OpenOptions): Promise<DatasetFile> };

type SourceParts = {
  readonly config: DatasetConfig;
  readonly egress: { readonly allowHosts: readonly string[]; readonly allowPrivate: boolean };
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  /** Stands before connections to places that a definition names. */
  readonly guard?: Guard;
  /** How names that a tenant gives are looked up; by the system when absent. */
  readonly names?: Names;
};

/** Opens the datasets that definitions name, as far as the configuration allows. */
export function createDatasetSource(parts: SourceParts): DatasetSource {
  const { config, egress, env, clock, names, guard = createGuard(egress) } = parts;
  const { maxBytes } = config;
  const publicGuard = config.allowHttp ? allowPlainHttp(guard) : guard;
  const guardOf = ({ trust, tenant = '' }: OpenOptions): GuardFor => {
    if (trust === 'operator') return withLoopback(publicGuard);
    const tenantGuard = names ? publicGuard.withNames(names.of(tenant)) : publicGuard;
    return () => tenantGuard;
  };

  function openWeb(scheme: string, url: URL, guardFor: GuardFor, options: OpenOptions): Promise<DatasetFile> {
    const lifetime = startLifetime(clock, config.timeoutMs, options.signal);
    return httpGet({ scheme, url, guardFor, followRedirects: true, maxBytes, lifetime });
  }

  async function openBucket(uri: BucketUri, options: OpenOptions): Promise<DatasetFile> {
    checkGrant(uri.scheme, config, options);
    const mapped = mappedPrefix(uri.uri, config.prefixes);
    if (mapped) return openMapped(uri.scheme, mapped, options);
    if (uri.scheme === 'gs' || config.s3 === undefined) throw unsupported(uri.scheme);
    const { url, headers } = await signGet(uri, config.s3, env, clock);
    const lifetime = startLifetime(clock, config.timeoutMs, options.signal);
    // The operator chose the service, so it is not guarded; only the service itself gets the signature.
    const request = { url, headers, guardFor: () => undefined, followRedirects: false };
    return httpGet({ scheme: 's3', ...request, maxBytes, lifetime });
  }

  function openMapped(
    scheme: string,
    { target, rest }: PrefixTarget,
    options: OpenOptions,
  ): Promise<DatasetFile> {
    if (!isWebAddress(target)) return openBelow(target, rest, { scheme, maxBytes });
    // Joined as text: a parser would let a name that begins with a slash leave the folder.
    const url = new URL(`${target}${rest.split('/').map(encodeSegment).join('/')}`);
    // The operator's own address is not guarded; what it redirects to is, like any other URL.
    const guardFor: GuardFor = (next, from) =>
      next.origin === url.origin ? undefined : guardOf(options)(next, from);
    return openWeb(scheme, url, guardFor, options);
  }

  return {
    async open(uri, options) {
      options.signal?.throwIfAborted();
      switch (uri.scheme) {
        case 'relative':
        case 'pack':
          if (options.baseDir === undefined) throw nowhere(uri.scheme);
          return openBelow(options.baseDir, uri.path, { scheme: uri.scheme, maxBytes });
        case 'file':
          return openFile(uri.path, config, options);
        case 'https':
        case 'http':
          return openWeb(uri.scheme, new URL(uri.url), guardOf(options), options);
        case 's3':
        case 'gs':
          return openBucket(uri, options);
        case 'data':
          return openData(uri.text);
      }
    },
  };
}

/** Plain http, where the configuration allows it, may reach what https may reach. */
function allowPlainHttp(guard: Guard): Guard {
  const asHttps = (url: string): string => url.replace(/^http:/, 'https:');
  return {
    checkUrl: (url, pointer) => guard.checkUrl(asHttps(url), pointer),
    lookup: (url, signal) => guard.lookup(new URL(asHttps(url.href)), signal),
    withNames: (resolve) => allowPlainHttp(guard.withNames(resolve)),
  };
}

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
const isLoopback = (url: URL): boolean => LOOPBACK_NAME.test(url.hostname);

/** Also admits this machine by plain http. A server elsewhere must not be able to redirect to a service of this machine. */
const withLoopback =
  (guard: Guard): GuardFor =>
  (url, from) =>
    url.protocol === 'http:' && isLoopback(url) && (!from || isLoopback(from)) ? loopbackGuard : guard;

/** `localhost` is a name like any other, and has to resolve to this machine. */
async function resolveLoopback(host: string): Promise<readonly LookupAddress[]> {
  const addresses = await dns.lookup(host, { all: true });
  const isOwn = ({ address }: LookupAddress): boolean =>
    isIPv4(address) ? address.startsWith('127.') : address === '::1';
  if (!addresses.every(isOwn)) throw new GuardRefusal('The name of this machine leads elsewhere.');
  return addresses;
}

const loopbackGuard = createGuard({ allowPrivate: true, resolve: resolveLoopback });

type BucketUri = Extract<DatasetUri, { readonly scheme: 's3' | 'gs' }>;
type PrefixTarget = { readonly target: string; readonly rest: string };

/** The longest prefix counts, as in a table of routes. */
function mappedPrefix(uri: string, prefixes: DatasetConfig['prefixes']): PrefixTarget | undefined {
  const [longest] = Object.keys(prefixes)
    .filter((prefix) => uri.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  if (longest === undefined) return undefined;
  const rest = uri.slice(longest.length);
  return rest === '' ? undefined : { target: prefixes[longest] as string, rest };
}

/** The operator's folders and credentials are for the operator and for the tenants in `datasets.tenants`. */
function checkGrant(scheme: string, config: DatasetConfig, { trust, tenant }: OpenOptions): void {
  if (trust === 'operator' || (tenant !== undefined && config.tenants.includes(tenant))) return;
  throw unsupported(scheme);
}

async function openFile(path: string, config: DatasetConfig, { trust }: OpenOptions): Promise<DatasetFile> {
  if (trust !== 'operator') throw unsupported('file');
  const root = config.roots.find((candidate) => {
    const way = relative(candidate, path);
    return way !== '' && !way.startsWith('..');
  });
  if (root === undefined)
    throw datasetError(
      'dataset_refused',
      'file: is read below the folders in datasets.roots of the configuration only.',
      { scheme: 'file' },
    );
  const { maxBytes } = config;
  const opened = await openBelow(root, relative(root, path), { scheme: 'file', maxBytes });
  return { ...opened, name: basename(path) };
}

function openData(text: string): DatasetFile {
  const { mediaType, bytes } = decodeDataUri(text);
  return { name: '', mediaType, bytes: once(bytes), close: () => undefined };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const unsupported = (scheme: string): Error =>
  datasetError(
    'scheme_unsupported',
    `This host is not set up to read datasets by ${scheme}:. Use https:, or have its operator map it under "datasets" in the configuration.`,
    { scheme },
  );

const nowhere = (scheme: string): Error =>
  datasetError(
    'scheme_unsupported',
    'The definition has no folder here that a path could be relative to. Send the rows with it, or use an https: URI.',
    { scheme },
  );
