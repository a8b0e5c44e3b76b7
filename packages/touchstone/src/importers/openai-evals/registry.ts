import { basename } from 'node:path';
import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside, placeIn, readRows, unreadable } from '../documents.js';
import type {
  ImportDraft,
  ImportedTest,
  ImportRequest,
  PlacedExpectation,
  SourceDocument,
  SourceFile,
  SourcePointer,
} from '../imported.js';
import { lookUp, wordOf } from '../nodes.js';

type Read = { readonly file: SourceFile; readonly document: SourceDocument };
type Ideal = { readonly at: SourcePointer; readonly texts: readonly string[]; readonly args: JsonObject };
type Convert = (ideal: Ideal, request: ImportRequest) => JsonObject | undefined;

const ignoreCase = ({ ignore_case }: JsonObject): JsonObject =>
  ignore_case === true ? { ignoreCase: true } : {};
const oneOrAll = (texts: readonly string[]): Json => (texts.length === 1 ? (texts[0] as string) : texts);

const fuzzy: Convert = ({ at, texts }, { items }) => {
  items.changed(at, 'class FuzzyMatch: there parts of words count as well', 'check contains, of whole words');
  return { contains: { text: oneOrAll(texts), any: true, normalize: true, either: true } };
};

const jsonMatch: Convert = ({ texts }) => {
  const values = texts.map(parsed);
  if (values.includes(undefined)) return undefined;
  const exact = values.map((value) => ({ $exact: value as Json }));
  return { 'json-subset': { value: exact.length === 1 ? (exact[0] as JsonObject) : { $oneOf: exact } } };
};

const fact: Convert = ({ at, texts }, { items }) => {
  items.changed(
    at,
    'class fact: a model decides it there by its own question',
    "a question to this host's judge",
  );
  const says = 'The answer agrees with the facts of the reference.';
  return { judge: { reference: oneOrAll(texts) }, says };
};

/** By the last part of the name of the class. */
const CLASSES: { readonly [name: string]: Convert } = {
  Match: ({ texts }) => ({ 'starts-with': { text: oneOrAll(texts) } }),
  Includes: ({ texts, args }) => ({ contains: { text: oneOrAll(texts), any: true, ...ignoreCase(args) } }),
  FuzzyMatch: fuzzy,
  JsonMatch: jsonMatch,
  fact,
};

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The samples of every entry that names some; or the rows that were given, by the class that was given. */
export function registryDraft(
  registries: readonly Read[],
  rows: readonly Read[],
  request: ImportRequest,
): ImportDraft {
  const entries = registries.flatMap((one) => entriesOf(one));
  const tests =
    entries.length > 0
      ? entries.flatMap((entry) => testsOfEntry(entry, rows, request))
      : rows.flatMap(({ document }) => testOf(document, classOf(request, rows), {}, request));
  return { tests, suite: { thresholds: { passScore: 1 } } };
}

function classOf({ options, files }: ImportRequest, rows: readonly Read[]): string {
  if (options.class !== undefined) return shortName(options.class);
  const file = rows[0]?.file.file ?? files[0]?.file ?? '';
  throw unreadable(
    file,
    `Expected the class of the samples: the registry's YAML file, or --class with ${Object.keys(CLASSES).join(', ')}.`,
  );
}

type Entry = { readonly at: SourcePointer; readonly value: JsonObject; readonly file: SourceFile };

function entriesOf({ file, document }: Read): readonly Entry[] {
  const value = isObject(document.value) ? document.value : {};
  return Object.entries(value).flatMap(([name, entry]) =>
    isObject(entry) && typeof entry.class === 'string'
      ? [{ at: inside(placeIn(document), name), value: entry, file }]
      : [],
  );
}

/** `evals.elsuite.basic.match:Match` is `Match`; a graded class is known by its specification. */
const shortName = (name: string): string => name.split(/[:.]/).at(-1) ?? name;

const READ_ARGS = new Set(['samples_jsonl', 'ignore_case', 'modelgraded_spec', 'eval_type']);

function testsOfEntry(entry: Entry, rows: readonly Read[], request: ImportRequest): readonly ImportedTest[] {
  const { at, value } = entry;
  const { items } = request;
  const args = isObject(value.args) ? value.args : {};
  for (const name of Object.keys(args))
    if (!READ_ARGS.has(name)) items.lost(inside(inside(at, 'args'), name), `argument ${name} of an eval`);
  const { modelgraded_spec: spec, samples_jsonl: samples } = args;
  const name = typeof spec === 'string' ? spec : shortName(wordOf(value.class));
  const documents = typeof samples === 'string' ? samplesAt(samples, entry, rows, request) : undefined;
  if (!documents) {
    items.lost(
      at,
      'eval whose samples are not there',
      'Put the samples beside the YAML file, or name them too.',
    );
    return [];
  }
  return documents.flatMap((document) => testOf(document, name, args, request));
}

/** Samples lie in the folder `data` beside that of the entries, beside the file, or among the files that were named. */
function samplesAt(
  path: string,
  { file }: Entry,
  rows: readonly Read[],
  { open }: ImportRequest,
): readonly SourceDocument[] | undefined {
  const named = rows.filter((row) => basename(row.file.path) === basename(path));
  if (named.length > 0) return named.map(({ document }) => document);
  const found = [path, `../data/${path}`, `data/${path}`, basename(path)].flatMap((one) =>
    open(one, file),
  )[0];
  return found && readRows(found);
}

function testOf(
  document: SourceDocument,
  name: string,
  args: JsonObject,
  request: ImportRequest,
): readonly ImportedTest[] {
  const { value } = document;
  if (!isObject(value) || value.input === undefined) {
    request.items.lost(placeIn(document), 'sample without an input');
    return [];
  }
  const at = placeIn(document);
  const { id, input } = value;
  const expect = expectOf(document, name, args, request);
  return [{ at, ...(typeof id === 'string' && { id }), input, expect, lost: expect.length === 0 ? 1 : 0 }];
}

function expectOf(
  document: SourceDocument,
  name: string,
  args: JsonObject,
  request: ImportRequest,
): readonly PlacedExpectation[] {
  const { ideal } = document.value as JsonObject;
  const at = inside(placeIn(document), 'ideal');
  const texts = (Array.isArray(ideal) ? (ideal as readonly Json[]) : [ideal ?? null])
    .filter((text) => text !== null && text !== '')
    .map((text) => (typeof text === 'string' ? text : JSON.stringify(text)));
  const convert = lookUp(CLASSES, name);
  const entry = texts.length > 0 ? convert?.({ at, texts, args }, request) : undefined;
  if (entry) return [{ at, entry }];
  const why = convert ? 'an ideal answer that it cannot compare with' : 'nothing here stands for it';
  request.items.lost(at, `class ${name}: ${why}`);
  return [];
}
