import { fileURLToPath } from 'node:url';
import { defined } from '@touchstone/protocol';
import { readPackPath } from '../../suites/index.js';
import { datasetError } from './errors.js';

type DatasetLocation =
  | { readonly scheme: 'relative' | 'pack' | 'file'; readonly path: string }
  | { readonly scheme: 'https' | 'http'; readonly url: string }
  | { readonly scheme: 's3' | 'gs'; readonly bucket: string; readonly key: string }
  /** `text` is what stands behind `data:`. */
  | { readonly scheme: 'data'; readonly text: string };

/** Where a dataset is. `uri` is what its author wrote, without the pin: the name it has in a lock. */
export type DatasetUri = DatasetLocation & { readonly uri: string; readonly pin?: string };
export type DatasetScheme = DatasetUri['scheme'];

const PIN = /#sha256=([0-9a-f]{64})$/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const CONTROL = /\p{Cc}|\p{Cs}/u;
const MAX_URI_CHARS = 4_096;
/** Room for a megabyte of data with every byte percent-encoded. */
const MAX_DATA_URI_CHARS = 3 * 1024 * 1024 + 1_024;
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{2,221}$/;

/** What makes a query a key to something: its value would be written down with the URI. */
const SECRET_PARAMETERS = new Set(
  [
    'x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential awsaccesskeyid',
    'googleaccessid signature sig access_token token api_key apikey api-key password secret',
  ].flatMap((names) => names.split(' ')),
);

type Reader = (rest: string, uri: string) => DatasetLocation;
type Refuse = (message: string) => Error;

const READERS: { readonly [scheme: string]: Reader } = {
  pack: (rest) => ({ scheme: 'pack', path: pathBelow(rest) }),
  file: (_, uri) => ({ scheme: 'file', path: filePath(uri) }),
  https: (_, uri) => ({ scheme: 'https', url: webUrl(uri) }),
  http: (_, uri) => ({ scheme: 'http', url: webUrl(uri) }),
  s3: (rest) => ({ scheme: 's3', ...bucketAndKey(rest) }),
  gs: (rest) => ({ scheme: 'gs', ...bucketAndKey(rest) }),
  data: (rest) => ({ scheme: 'data', text: dataText(rest) }),
};

/**
 * Reads where a dataset is, without looking. A pin is taken off only in its exact form at the very end, because the
 * names of objects in a bucket may hold a `#`. Nothing of the URI stands in an error: it may hold a secret.
 */
export function parseDatasetUri(text: string): DatasetUri {
  const pin = PIN.exec(text)?.[1]?.toLowerCase();
  const uri = pin === undefined ? text : text.replace(PIN, '');
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase();
  checkText(uri, scheme);
  return defined({ ...locationOf(uri, scheme), uri, pin }) as DatasetUri;
}

function checkText(uri: string, scheme: string | undefined): void {
  if (uri === '') throw invalid('The dataset has no URI.');
  const isLong = uri.length > (scheme === 'data' ? MAX_DATA_URI_CHARS : MAX_URI_CHARS);
  if (isLong && scheme === 'data')
    throw datasetError('dataset_too_large', 'A data: URI holds at most 1 MB.', { scheme });
  if (isLong) throw invalid(`Expected a URI of at most ${MAX_URI_CHARS} characters.`);
  if (CONTROL.test(uri) || uri !== uri.trim())
    throw invalid('Expected a URI without control characters and without space around it.');
  // Anywhere but in a bucket this can only be a pin that went wrong, and would go unnoticed.
  if (scheme !== 's3' && scheme !== 'gs' && /#sha256=/i.test(uri))
    throw invalid('Expected a pin of the form #sha256=<64 hex digits> at the very end of the URI.');
}

function locationOf(uri: string, scheme: string | undefined): DatasetLocation {
  // One letter and a colon is a drive, not a scheme.
  if (scheme === undefined || scheme.length === 1) return { scheme: 'relative', path: pathBelow(uri) };
  const read = Object.hasOwn(READERS, scheme) ? READERS[scheme] : undefined;
  if (!read)
    throw datasetError(
      'scheme_unsupported',
      `The URI's scheme is not one that datasets can be read by. Known are a relative path and ${Object.keys(READERS).join(', ')}.`,
    );
  return read(uri.slice(scheme.length + 1), uri);
}

function pathBelow(raw: string): string {
  const path = readPackPath(raw, MAX_URI_CHARS);
  if (path.kind === 'inside') return path.path;
  if (path.kind === 'escapes')
    throw datasetError(
      'dataset_refused',
      'Expected a path below the folder of the definition: relative, with slashes, without "..".',
    );
  throw invalid('Expected the path of a file, such as evals/rows.jsonl.');
}

function filePath(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    throw invalid(
      'Expected a file: URI with an absolute path on this machine, such as file:///data/rows.jsonl.',
    );
  }
}

function webUrl(uri: string): string {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri))
    throw invalid('Expected an absolute URL with a host.');
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '' || hasSecret(url)) throw credentials();
  // It would not be sent, so the author expects something that does not happen.
  if (url.hash !== '')
    throw invalid('Expected a URL without a fragment, except for a pin #sha256=<64 hex digits>.');
  return url.href;
}

const hasSecret = (url: URL): boolean =>
  [...url.searchParams.keys()].some((name) => SECRET_PARAMETERS.has(name.toLowerCase()));

function bucketAndKey(rest: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^\/\/([^/]*)\/(.*)$/s.exec(rest) ?? [];
  if (/[@:]/.test(bucket)) throw credentials();
  if (bucket === '' || key === '')
    throw invalid('Expected a bucket and the name of an object, as in s3://bucket/rows.jsonl.');
  if (!BUCKET.test(bucket))
    throw invalid(
      'Expected the name of a bucket between the slashes: 3 to 222 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.',
    );
  // A URL parser would take these for steps through folders and leave the bucket.
  if (key.startsWith('/') || key.split('/').some((segment) => segment === '.' || segment === '..'))
    throw datasetError(
      'dataset_refused',
      'Expected the name of an object without "." and ".." between slashes.',
    );
  return { bucket, key };
}

function dataText(rest: string): string {
  if (rest.includes('#')) throw invalid('Expected "#" to be written as %23 in a data: URI.');
  return rest;
}

const invalid: Refuse = (message) => datasetError('invalid_uri', message);
const credentials = (): Error =>
  datasetError(
    'credentials_in_uri',
    'The URI holds credentials, which would be stored with it. Take them out, and let the host be configured to reach the dataset.',
  );
