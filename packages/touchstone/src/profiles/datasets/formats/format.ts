import { isObject } from '@touchstone/protocol';
import { datasetError } from '../errors.js';

export type DatasetFormat = 'json' | 'jsonl' | 'csv';

/** Members of a file that may hold its rows. */
export const ROW_LISTS = ['tasks', 'cases', 'rows', 'examples', 'data'] as const;

const BY_EXTENSION: { readonly [extension: string]: DatasetFormat } = {
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
};
const BY_MEDIA_TYPE: { readonly [type: string]: DatasetFormat } = {
  'application/json': 'json',
  'text/json': 'json',
  'application/x-ndjson': 'jsonl',
  'application/ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
  'application/x-jsonl': 'jsonl',
  'application/jsonlines': 'jsonl',
  'application/x-jsonlines': 'jsonl',
  'text/csv': 'csv',
  'application/csv': 'csv',
};
/** Named so that their reader is told at once, and not by a complaint about the first line. */
const NOT_READ = new Set([
  'zip',
  'gz',
  'tgz',
  'bz2',
  'xz',
  'zst',
  'parquet',
  'arrow',
  'xlsx',
  'xls',
  'yaml',
  'yml',
  'tsv',
  'xml',
]);

type Named = { readonly format?: DatasetFormat; readonly name?: string; readonly mediaType?: string };

/** The format by what is known about the file; undefined when only its contents can tell. */
export function formatByName({ format, name = '', mediaType = '' }: Named): DatasetFormat | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (format === undefined && NOT_READ.has(extension)) throw unsupported();
  return format ?? ownMember(BY_EXTENSION, extension) ?? formatOfMediaType(mediaType);
}

export const formatOfMediaType = (mediaType: string): DatasetFormat | undefined =>
  ownMember(BY_MEDIA_TYPE, (mediaType.split(';')[0] ?? '').trim().toLowerCase());

const ownMember = <T>(table: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

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
  const first = parsed(text.split('\n', 1)[0] ?? '');
  // One object in one line is a row, unless it is a file of rows written without line breaks.
  return isObject(first) && !ROW_LISTS.some((list) => Array.isArray(first[list])) ? 'jsonl' : 'json';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
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
