import { join } from 'node:path';
import { rowsBeside } from '../../profiles/index.js';
import { readSuiteFile } from '../../suites/index.js';
import type { SuiteFile } from '../files/suite-source.js';
import { UsageError } from '../io.js';

/** A suite that is only a list of tasks needs a name to be kept under. */
const TASKS_ALONE = { suiteId: 'local.program.evals.tasks', version: '1.0.0' };

/** A suite that a program has made: what would stand in a suite file, or its tasks alone. */
export function suiteOf(value: object | readonly object[], cwd: string): SuiteFile {
  const file = 'suite';
  const document = Array.isArray(value) ? { ...TASKS_ALONE, tasks: value } : value;
  const readRows = rowsBeside(join(cwd, file));
  return { kind: 'file', file, ...readSuiteFile(textOf(document), { readRows }) };
}

function textOf(document: unknown): string {
  try {
    const text = JSON.stringify(document) as string | undefined;
    if (text !== undefined) return text;
  } catch {
    // A circle, or a value that JSON does not know. The error of the platform may quote what is in it.
  }
  throw new UsageError(
    'The suite cannot be written as JSON.',
    'Give "suite" a path, or an object or a list of tasks without circles, functions or big integers.',
  );
}
