import type { Json } from '@touchstone/protocol';
import { extensionOf, readDocument, readRows } from './documents.js';
import type { Sample, SourceFile } from './imported.js';

const ROWS = ['.jsonl', '.ndjson', '.csv'];
const DOCUMENTS = ['.json', '.yaml', '.yml'];

/** As much of a file as tells its shape. A file that cannot be read has none: its importer says what is wrong. */
export function sampleOf(source: SourceFile): Sample {
  const extension = extensionOf(source);
  if (!ROWS.includes(extension) && !DOCUMENTS.includes(extension))
    return { extension, form: 'binary', value: undefined };
  try {
    const value = ROWS.includes(extension) ? readRows(source)[0]?.value : readDocument(source).value;
    if (Array.isArray(value)) return { extension, form: 'rows', value: (value as readonly Json[])[0] };
    return { extension, form: ROWS.includes(extension) ? 'rows' : 'document', value };
  } catch {
    return { extension, form: 'document', value: undefined };
  }
}
