import { basename, relative } from 'node:path';
import { createGuard, type Guard } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { datasetError } from '../errors.js';
import { decodeDataUri } from '../formats/data-uri.js';
import type { DatasetUri } from '../uri.js';
import { admitAnyone, admitOwn } from './admission.js';
import { type DatasetConfig, isWebAddress } from './config.js';
import { type Admit, httpGet } from './http-get.js';
import { openBelow } from './jail.js';
import { type Lifetime, startLifetime } from './lifetime.js';
import type { OpenedDataset } from './opened.js';
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

export type DatasetSource = { open(uri: DatasetUri, options: OpenOptions): Promise<OpenedDataset> };

type SourceParts = {
  readonly config: DatasetConfig;
  readonly egress: { readonly allowHosts: readonly string[]; readonly allowPrivate: boolean };
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  /** Stands before connections to places that a definition names. */
  readonly guard?: Guard;
};

/** Finds datasets wherever a definition says they are, as far as the configuration lets it. */
export function createDatasetSource(parts: SourceParts): DatasetSource {
  const { config, egress, env, clock, guard = createGuard(egress) } = parts;
  const { maxBytes } = config;
  const lifetime = (signal?: AbortSignal): Lifetime => startLifetime(clock, config.timeoutMs, signal);
  const admitFor = ({ trust }: OpenOptions): Admit =>
    admitAnyone({ guard, allowHttp: config.allowHttp, allowLoopback: trust === 'operator' });

  function openWeb(scheme: string, url: URL, admit: Admit, { signal }: OpenOptions): Promise<OpenedDataset> {
    return httpGet({ scheme, url, admit, followRedirects: true, maxBytes, life: lifetime(signal) });
  }

  async function openBucket(uri: BucketUri, options: OpenOptions): Promise<OpenedDataset> {
    checkGrant(uri.scheme, config, options);
    const mapped = mappedPrefix(uri.uri, config.prefixes);
    if (mapped) return openMapped(uri.scheme, mapped, options);
    if (uri.scheme === 'gs' || config.s3 === undefined) throw unsupported(uri.scheme);
    const { url, headers } = await signGet(uri, config.s3, env, clock);
    const life = lifetime(options.signal);
    // The service is the operator's choice, and the only one that gets the signature.
    const admit: Admit = () => ({});
    return httpGet({ scheme: 's3', url, headers, admit, followRedirects: false, maxBytes, life });
  }

  function openMapped(
    scheme: string,
    { target, rest }: Mapped,
    options: OpenOptions,
  ): Promise<OpenedDataset> {
    if (!isWebAddress(target)) return openBelow(target, rest, { scheme, maxBytes });
    // Joined as text: a parser would let a name that begins with a slash leave the folder.
    const url = new URL(`${target}${rest.split('/').map(encodeSegment).join('/')}`);
    return openWeb(scheme, url, admitOwn(url.origin, admitFor(options)), options);
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
          return openWeb(uri.scheme, new URL(uri.url), admitFor(options), options);
        case 's3':
        case 'gs':
          return openBucket(uri, options);
        case 'data':
          return openData(uri.text);
      }
    },
  };
}

type BucketUri = Extract<DatasetUri, { readonly scheme: 's3' | 'gs' }>;
type Mapped = { readonly target: string; readonly rest: string };

/** The longest prefix counts, as in a table of routes. */
function mappedPrefix(uri: string, prefixes: DatasetConfig['prefixes']): Mapped | undefined {
  const [longest] = Object.keys(prefixes)
    .filter((prefix) => uri.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  if (longest === undefined) return undefined;
  const rest = uri.slice(longest.length);
  return rest === '' ? undefined : { target: prefixes[longest] as string, rest };
}

/** What the operator's folders and credentials open, they open for those the operator names. */
function checkGrant(scheme: string, config: DatasetConfig, { trust, tenant }: OpenOptions): void {
  if (trust === 'operator' || (tenant !== undefined && config.tenants.includes(tenant))) return;
  throw unsupported(scheme);
}

async function openFile(path: string, config: DatasetConfig, { trust }: OpenOptions): Promise<OpenedDataset> {
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

function openData(text: string): OpenedDataset {
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
