import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { ImportItem } from '../../importers/index.js';
import { suiteFileSchema } from '../../suites/index.js';
import type { TestCli } from './test-cli.js';

export type ImportDocument = {
  readonly format: string;
  readonly tests: { readonly all: number; readonly carried: number };
  readonly assertions: { readonly all: number; readonly carried: number };
  readonly lost: number;
  readonly items: readonly ImportItem[];
};

const fitsSchema = new Ajv2020({ strict: false }).compile(suiteFileSchema());

/** Imports files of the folder into `out`, checks that what was written is valid, and gives back what the command says. */
export async function importInto(cli: TestCli, ...argv: readonly string[]): Promise<ImportDocument> {
  const { code, out, err } = await cli.run('import', ...argv, '-o', 'out', '--json');
  expect({ code, err: err.replace(/^\d+ of .*\n/, '') }).toEqual({ code: 0, err: '' });
  const document = JSON.parse(out) as ImportDocument & { readonly files: readonly string[] };
  const suite = document.files.find((file) => file.endsWith('.suite.yaml'));
  const checked = await cli.run('validate', suite as string);
  expect({ code: checked.code, err: checked.err }).toEqual({ code: 0, err: '' });
  expect(fitsSchema(parse(cli.read(suite as string)))).toBe(true);
  return document;
}

/** Scores answers by an imported suite, and gives back which tasks passed. */
export async function verdicts(
  cli: TestCli,
  suite: string,
  answers: string,
): Promise<{ readonly [taskId: string]: boolean }> {
  const { out } = await cli.run('run', suite, '--answers', answers, '--output', 'tasks.jsonl', '--json');
  expect(JSON.parse(out).error).toBeUndefined();
  const rows = cli
    .read('tasks.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return Object.fromEntries(
    rows.flatMap(({ taskId, passed }) => (taskId === undefined ? [] : [[taskId, passed]])),
  );
}
