import { datasetError } from '../errors.js';
import { formatOfMediaType } from './format.js';

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
