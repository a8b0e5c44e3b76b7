import type { FileExporter } from './file-run.js';

/** One JSON document a line: each repeat of each task. Line separators of Unicode would end a line in some readers. */
export const renderJsonl: FileExporter = (runs) =>
  runs
    .flatMap(({ rows }) => rows)
    .map((row) => `${oneLine(JSON.stringify(row))}\n`)
    .join('');

const oneLine = (json: string): string =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
