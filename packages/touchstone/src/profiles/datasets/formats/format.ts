import { isObject } from '@touchstone/protocol';
import { jsonOf } from '../../../suites/index.js';
import { datasetError } from '../errors.js';

export type DatasetFormat = 'json' | 'jsonl' | 'csv';

/** Members of a file that may hold its rows. */
export const ROW_LISTS = ['tasks', 'cases', 'rows', 'examples', 'data'] as const;

const BY_EXTENSION = new Map<string, DatasetFormat>([
  ['json', 'json'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['csv', 'csv'],
]);
const BY_MEDIA_TYPE = new Map<string, DatasetFormat>([
  ...['application/json', 'text/json'].map((type) => [type, 'json'] as const),
  ...['ndjson', 'jsonl', 'jsonlines'].flatMap((name) => [
    [`application/${name}`, 'jsonl'] as const,
    [`application/x-${name}`, 'jsonl'] as const,
  ]),
  ...['text/csv', 'application/csv'].map((type) => [type, 'csv'] as const),
]);
/** Named so that the author gets a clear refusal, and not an issue of the first line. */
const NOT_READ = new Set('zip gz tgz bz2 xz zst parquet arrow xlsx xls yaml yml tsv xml'.split(' '));

type NamedFile = { readonly format?: DatasetFormat; readonly name?: string; readonly mediaType?: string };

/** The format by what is known about the file; undefined when only its contents can tell. */
export function formatByName({ format, name = '', mediaType = '' }: NamedFile): DatasetFormat | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (format === undefined && NOT_READ.has(extension)) throw unsupported();
  return format ?? BY_EXTENSION.get(extension) ?? formatOfMediaType(mediaType);
}

const formatOfMediaType = (mediaType: string): DatasetFormat | undefined =>
  BY_MEDIA_TYPE.get((mediaType.split(';')[0] ?? '').trim().toLowerCase());

/** How much of a file is looked at when nothing else tells its format. */
export const SNIFFED_BYTES = 64 * 1024;

/** The format by how a file begins. `head` is the file up to its first line break that ends a line with text. */
export function sniffFormat(head: Uint8Array): DatasetFormat {
  if (isPacked(head)) throw unsupported();
  const text = Buffer.from(head)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text === '') return 'jsonl';
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  const first = jsonOf(Buffer.from(text.split('\n', 1)[0] ?? ''))?.value;
  // One object in one line is a row, unless it is a file of rows written without line breaks.
  return isObject(first) && !ROW_LISTS.some((list) => Array.isArray(first[list])) ? 'jsonl' : 'json';
}

const MAGIC = ['504b0304', '504b0506', '1f8b', '28b52ffd', 'fd377a58', '425a68', '50415231'];

const isPacked = (head: Uint8Array): boolean => {
  const start = Buffer.from(head.subarray(0, 4)).toString('hex');
  return MAGIC.some((magic) => start.startsWith(magic));
};

const unsupported = (): Error =>
  datasetError(
    'format_unsupported',
    'Datasets are read as .json, .jsonl, .ndjson or .csv, not compressed. Convert the file to one of these.',
  );

const MAX_DATA_BYTES = 1024 * 1024;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const scheme = 'data';

/** The bytes of a dataset that is its own URI: JSON, NDJSON or CSV, in base64 or percent-encoded. */
export function decodeDataUri(text: string): { readonly mediaType: string; readonly bytes: Uint8Array } {
  const comma = text.indexOf(',');
  if (comma < 0) throw datasetError('invalid_uri', 'Expected a comma in front of the data.', { scheme });
  const [mediaType = '', ...parameters] = text
    .slice(0, comma)
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (formatOfMediaType(mediaType) === undefined)
    throw datasetError(
      'format_unsupported',
      'Expected data of the type application/json, application/x-ndjson or text/csv.',
      { scheme },
    );
  const isBase64 = parameters.at(-1) === 'base64';
  checkCharset(isBase64 ? parameters.slice(0, -1) : parameters);
  const payload = text.slice(comma + 1);
  const bytes = isBase64 ? fromBase64(payload) : fromPercent(payload);
  if (bytes.length > MAX_DATA_BYTES)
    throw datasetError('dataset_too_large', 'A data: URI holds at most 1 MB.', { scheme });
  return { mediaType, bytes };
}

function checkCharset(parameters: readonly string[]): void {
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset.replaceAll('"', '')))
    throw datasetError('format_unsupported', 'Expected data in UTF-8.', { scheme });
}

function fromBase64(payload: string): Uint8Array {
  // The platform's decoder passes over what it does not know, and would read half of a damaged text.
  const clean = payload.replaceAll('%2B', '+').replaceAll('%2F', '/').replaceAll('%3D', '=');
  if (!BASE64.test(clean)) throw datasetError('invalid_uri', 'The data is not base64.', { scheme });
  return Buffer.from(clean, 'base64');
}

function fromPercent(payload: string): Uint8Array {
  if (/%(?![0-9a-fA-F]{2})/.test(payload))
    throw datasetError('invalid_uri', 'Expected two hex digits after each "%" in the data.', { scheme });
  const parts = payload.split(/((?:%[0-9a-fA-F]{2})+)/);
  return Buffer.concat(
    parts.map((part, index) =>
      Buffer.from(index % 2 === 1 ? part.replaceAll('%', '') : part, index % 2 === 1 ? 'hex' : 'utf8'),
    ),
  );
}
