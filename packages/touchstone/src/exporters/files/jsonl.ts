import { printable } from '@touchstone/sdk/view';
import type { FileExporter } from './file-run.js';

/** One JSON document a line: each repeat of each task. What could hide in a line, or end it, is escaped as JSON does. */
export const renderJsonl: FileExporter = (runs) =>
  runs
    .flatMap(({ rows }) => rows)
    .map((row) => `${printable(JSON.stringify(row))}\n`)
    .join('');
