import { readFileSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isHostError, isObject, type Json } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { assemble, createItems, IMPORT_FORMATS, type SourceFile } from '../../../importers/index.js';
import { openTestCli } from '../../testing/test-cli.js';
import { deflated, zipOf } from '../../testing/zip-archive.js';
import { findTroubles } from './import-troubles.js';
import { openNamed } from './source-files.js';

const SAMPLES = fileURLToPath(new URL('../../../importers/testing/samples/', import.meta.url));

/** What stands where something else is expected: other types, and names that every object has. */
const HOSTILE: readonly Json[] = [null, 7, 'toString', [null], JSON.parse('{"toString":1,"__proto__":2}')];

type Path = readonly string[];
const placesIn = (value: Json, at: Path = []): readonly Path[] =>
  value !== null && typeof value === 'object'
    ? [at, ...Object.entries(value).flatMap(([key, one]) => placesIn(one as Json, [...at, key]))]
    : [at];

/** The value with something else at one place. */
function replaced(value: Json, [first, ...rest]: Path, by: Json): Json {
  if (first === undefined) return by;
  const one = (inside: Json, key: string): Json => (key === first ? replaced(inside, rest, by) : inside);
  if (Array.isArray(value)) return (value as readonly Json[]).map((inside, at) => one(inside, String(at)));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, one(inside as Json, key)]));
}

const isLines = (name: string): boolean => name.endsWith('.jsonl');

function sampleValue(name: string): Json {
  const text = readFileSync(`${SAMPLES}${name}`, 'utf8');
  return isLines(name) ? (text.trim().split('\n').map(parseLine) as Json) : (parse(text) as Json);
}
const parseLine = (line: string): Json => JSON.parse(line) as Json;

function sourceOf(name: string, value: Json): SourceFile {
  const text =
    isLines(name) && Array.isArray(value)
      ? (value as readonly Json[]).map((row) => JSON.stringify(row)).join('\n')
      : JSON.stringify(value);
  return { file: name, path: `${SAMPLES}${name}`, bytes: Buffer.from(text) };
}

/** Imports, and gives back what went wrong other than a refusal with its reason. */
async function troubleOf(format: string, file: SourceFile, evaluation?: SourceFile): Promise<unknown> {
  const items = createItems();
  const suiteId = 'local.imported.evals.hostile';
  const options = { suiteId, ...(evaluation && { evaluation }) };
  try {
    const draft = await IMPORT_FORMATS[format]?.read({ files: [file], options, items, open: openNamed });
    const made = await assemble(draft ?? { tests: [] }, { format, suiteId, items, findTroubles });
    const paths = Object.keys(made.files).filter(
      (path) => isAbsolute(path) || normalize(path).startsWith('..'),
    );
    return paths.length > 0 ? `writes outside of its folder: ${paths.join(', ')}` : undefined;
  } catch (error) {
    return isHostError(error) ? undefined : (error as Error).stack;
  }
}

test.each([
  ['promptfoo', 'promptfoo/promptfooconfig.yaml'],
  ['openai-evals', 'openai-evals/evals.yaml'],
  ['inspect', 'inspect/capitals.json'],
  ['adk', 'adk/desk.evalset.json'],
  ['adk', 'adk-old/desk.test.json'],
  ['langsmith', 'langsmith/examples.jsonl'],
  ['braintrust', 'braintrust/rows.jsonl'],
  ['langfuse', 'langfuse/items.jsonl'],
  ['deepeval', 'deepeval/goldens.json'],
  ['otel', 'otel/traces.jsonl'],
])('a file of %s with another type in any place (%s) is imported or refused', async (format, name) => {
  const value = sampleValue(name);
  for (const place of placesIn(value))
    for (const by of HOSTILE) {
      const trouble = await troubleOf(format, sourceOf(name, replaced(value, place, by)));
      expect({ place, by, trouble }).toEqual({ place, by, trouble: undefined });
    }
});

test('rows and criteria of hosted evals with another type in any place are imported or refused', async () => {
  const rows = sampleValue('openai-evals-hosted/eval_items_1.jsonl');
  const criteria = sampleValue('openai-evals-hosted/eval.json');
  const file = (value: Json): SourceFile => sourceOf('openai-evals-hosted/eval_items_1.jsonl', value);
  const evaluation = (value: Json): SourceFile => sourceOf('openai-evals-hosted/eval.json', value);
  for (const by of HOSTILE) {
    for (const place of placesIn(rows))
      expect(
        await troubleOf('openai-evals', file(replaced(rows, place, by)), evaluation(criteria)),
      ).toBeUndefined();
    for (const place of placesIn(criteria))
      expect(
        await troubleOf('openai-evals', file(rows), evaluation(replaced(criteria, place, by))),
      ).toBeUndefined();
  }
});

/** Types that the sample of traces has no place for. */
test('attributes of spans that are lists of anything are imported or refused', async () => {
  for (const held of [...HOSTILE, { values: HOSTILE }])
    for (const kind of ['kvlistValue', 'arrayValue', 'intValue', 'stringValue']) {
      const attributes = ['gen_ai.operation.name', 'gen_ai.input.messages', 'gen_ai.tool.name'].map(
        (key) => ({ key, value: { [kind]: held } }),
      );
      const spans = [{ traceId: 't', spanId: 's', name: 'invoke_agent x', attributes }];
      const value = { resourceSpans: [{ scopeSpans: [{ spans }] }] } as Json;
      expect(await troubleOf('otel', sourceOf('otel/traces.json', value))).toBeUndefined();
    }
});

async function importing(name: string, content: Buffer | string): Promise<{ code: number; err: string }> {
  const cli = openTestCli();
  try {
    cli.write(name, content as string);
    const { code, err } = await cli.run('import', name, '-o', 'out');
    expect(cli.has('out') && code !== 0).toBe(false);
    return { code, err };
  } finally {
    cli.close();
  }
}

test('a table that is not UTF-8 is refused with that reason', async () => {
  const { code, err } = await importing(
    'rows.csv',
    Buffer.from('question,answer\nWie hei\xdft er?,x\n', 'latin1'),
  );
  expect(code).toBe(2);
  expect(err).toContain('rows.csv / Expected text in UTF-8.');
});

test('a file of lines that holds one value over several lines is read as that value', async () => {
  const rows = [{ question: 'Which day?', answer: 'Friday' }];
  expect(await importing('rows.jsonl', JSON.stringify(rows, null, 2))).toMatchObject({ code: 0 });
});

test('an archive that unpacks to more than it should is refused before it is unpacked', async () => {
  const header = deflated('header.json', { version: 2, eval: { task: 'x' }, results: {} });
  const sample = deflated('samples/1_epoch_1.json', { id: 'a'.repeat(2 ** 20) });
  const claims = (size: number): Buffer => zipOf([header, { ...sample, size }]);
  expect((await importing('huge.eval', claims(2 ** 31))).err).toContain('The archive is too large');
  expect((await importing('lying.eval', claims(1000))).err).toContain('it is damaged');
  // A frame of Zstandard that holds a mebibyte of one letter, and a directory that says ten bytes.
  const frame = Buffer.concat([
    Buffer.from('28b52ffd', 'hex'),
    Buffer.from([0xa0, 0, 0, 0x10, 0]),
    ...Array.from({ length: 8 }, (_, at) => Buffer.from([(at === 7 ? 1 : 0) | 2, 0, 0x10, 0x61])),
  ]);
  const bomb = zipOf([header, { name: 'samples/1_epoch_1.json', bytes: frame, method: 93, size: 10 }]);
  expect((await importing('frame.eval', bomb)).err).toContain('it is damaged');
});
