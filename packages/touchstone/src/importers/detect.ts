import type { Json } from '@touchstone/protocol';
import { extensionOf, readDocument, readRows } from './documents.js';
import type { Sample, SourceFile } from './imported.js';

const ROWS = ['.jsonl', '.ndjson', '.csv'];
const DOCUMENTS = ['.json', '.yaml', '.yml'];

/** As much of a file as tells its shape. A file that cannot be read has none. */
export function sampleOf(source: SourceFile): Sample {
  try {
    return readSample(source);
  } catch {
    return { extension: extensionOf(source), form: 'document', value: undefined };
  }
}

/** The same, and says of a file that cannot be read what is wrong and in which line. */
export function readSample(source: SourceFile): Sample {
  const extension = extensionOf(source);
  if (!ROWS.includes(extension) && !DOCUMENTS.includes(extension))
    return { extension, form: 'binary', value: undefined };
  const value = ROWS.includes(extension) ? readRows(source)[0]?.value : readDocument(source).value;
  if (Array.isArray(value)) return { extension, form: 'rows', value: (value as readonly Json[])[0] };
  return { extension, form: ROWS.includes(extension) ? 'rows' : 'document', value };
}
