import { renderCsv } from './csv.js';
import type { FileExporter } from './file-run.js';
import { renderHtml } from './html.js';
import { renderJsonl } from './jsonl.js';
import { renderSarif } from './sarif.js';

/** How runs are written, by the end of the file's name. */
export const FILE_FORMATS: { readonly [extension: string]: FileExporter } = {
  '.jsonl': renderJsonl,
  '.csv': renderCsv,
  '.html': renderHtml,
  '.sarif': renderSarif,
};
