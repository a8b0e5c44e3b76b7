import { join } from 'node:path';
import { rowsBeside } from '../../profiles/index.js';
import { readSuiteFile } from '../../suites/index.js';
import type { SuiteFile } from '../files/suite-source.js';

/** A suite that is only a list of tasks needs a name to be kept under. */
const TASKS_ALONE = { suiteId: 'local.program.evals.tasks', version: '1.0.0' };

/** A suite that a program has made: what would stand in a suite file, or its tasks alone. */
export function suiteOf(value: object | readonly object[], cwd: string): SuiteFile {
  const file = 'suite';
  const document = Array.isArray(value) ? { ...TASKS_ALONE, tasks: value } : value;
  const readRows = rowsBeside(join(cwd, file));
  return { kind: 'file', file, ...readSuiteFile(JSON.stringify(document), { readRows }) };
}
