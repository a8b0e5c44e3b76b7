import { type Issue, isObject, typeName, validationError } from '@touchstone/protocol';
import { readJsonText } from '../../../suites/index.js';
import { datasetError } from '../errors.js';
import { ROW_LISTS } from './format.js';
import { strictUtf8 } from './strict-utf8.js';

export type JsonRows = {
  readonly rows: readonly unknown[];
  /** Of the list in the file. */
  readonly pointer: string;
  locate(issues: readonly Issue[]): readonly Issue[];
};

/** A JSON file is one value and has to be held whole, so it has a size limit of its own. */
export async function readJsonRows(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<JsonRows> {
  const { value, problem, locate } = readJsonText(await wholeText(bytes, maxBytes));
  if (problem) throw validationError(locate(), { code: 'invalid_rows' });
  return { ...rowsIn(value, locate), locate };
}

async function wholeText(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of strictUtf8(bytes)) {
    length += chunk.length;
    if (length > maxBytes)
      throw datasetError(
        'dataset_too_large',
        `A JSON file of rows is read whole and may have ${maxBytes} bytes. Write it as JSONL, one row a line, to have more.`,
      );
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The rows are the file itself, or the one list of rows that it holds: a corpus, a suite. */
function rowsIn(value: unknown, locate: JsonRows['locate']): Pick<JsonRows, 'rows' | 'pointer'> {
  if (Array.isArray(value)) return { rows: value as readonly unknown[], pointer: '' };
  const lists = isObject(value) ? ROW_LISTS.filter((list) => Array.isArray(value[list])) : [];
  const [list] = lists;
  if (isObject(value) && list !== undefined && lists.length === 1)
    return { rows: value[list] as readonly unknown[], pointer: `/${list}` };
  const expected = `Expected an array of rows, or an object with one of ${ROW_LISTS.join(', ')}`;
  const got = lists.length > 1 ? `it has ${lists.join(' and ')}` : `got ${typeName(value)}`;
  throw validationError(locate([{ pointer: '', message: `${expected}; ${got}.` }]), { code: 'invalid_rows' });
}
