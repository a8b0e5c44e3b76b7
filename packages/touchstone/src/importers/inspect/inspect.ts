import { isObject, validationError } from '@touchstone/protocol';
import { extensionOf, readDocument, readRows } from '../documents.js';
import type {
  ImportDraft,
  ImportedTest,
  ImportFormat,
  ImportRequest,
  Sample,
  SourceFile,
} from '../imported.js';
import { rootOf } from '../nodes.js';
import { isDatasetRow, rowTest } from './dataset.js';
import { testsOf } from './log.js';
import { readLog } from './log-source.js';
import { NAMED_SCORERS } from './scorers.js';

/** Logs of Inspect, `.json` and `.eval`, and its datasets. */
export const INSPECT: ImportFormat = { read, fits, options: ['scorer'] };

function fits({ extension, form, value }: Sample): boolean {
  if (extension === '.eval') return true;
  return form === 'rows' ? isDatasetRow(value) : isLog(value);
}

const isLog = (value: Sample['value']): boolean =>
  isObject(value) && isObject(value.eval) && (Array.isArray(value.samples) || isObject(value.results));

async function read({ files, options, items }: ImportRequest): Promise<ImportDraft> {
  const { scorer } = options;
  const tests: ImportedTest[] = [];
  for (const file of files) {
    if (isLogFile(file)) tests.push(...testsOf(await readLog(file), items));
    else tests.push(...readRows(file).map((row) => rowTest(rootOf(row), checkedScorer(scorer), items)));
  }
  return { tests };
}

const isLogFile = (file: SourceFile): boolean =>
  extensionOf(file) === '.eval' || (extensionOf(file) === '.json' && isLog(readDocument(file).value));

function checkedScorer(scorer: string | undefined): string | undefined {
  if (scorer === undefined || NAMED_SCORERS.includes(scorer)) return scorer;
  throw validationError([{ pointer: '', message: `--scorer is one of ${NAMED_SCORERS.join(', ')}.` }]);
}
