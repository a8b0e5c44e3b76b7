import { validationError } from '@touchstone/protocol';
import { keysIfSound, soundnessIssues } from '../../suites/index.js';
import type { NormalRow, ProfileWarning } from '../types.js';
import { RowReader } from './row-reader.js';

/** Rows that somebody hands over instead of a file. `pointer` is where they stand in what was handed over. */
export function normaliseRows(
  values: readonly unknown[],
  pointer = '',
): { readonly rows: readonly NormalRow[]; readonly warnings: readonly ProfileWarning[] } {
  if (keysIfSound(values) === undefined) {
    const issues = soundnessIssues(values).map((issue) => ({
      ...issue,
      pointer: `${pointer}${issue.pointer}`,
    }));
    throw validationError(issues, { code: 'invalid_rows' });
  }
  const desk = new RowReader();
  desk.place(pointer, (issues) => issues);
  const rows = values.flatMap((value, index) => {
    const raw = { at: index + 1, value, faults: [], locate: <T>(issues: T): T => issues };
    return desk.take(raw, false) ?? [];
  });
  desk.check();
  return { rows, warnings: desk.warnings() };
}
