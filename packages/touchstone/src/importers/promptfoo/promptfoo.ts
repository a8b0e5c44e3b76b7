import { isObject, type Json, type JsonObject, typeName } from '@touchstone/protocol';
import { inside, placeIn, readDocument, unreadable } from '../documents.js';
import type {
  ImportDraft,
  ImportedTest,
  ImportFormat,
  ImportRequest,
  SourceDocument,
  SourceFile,
  SourcePointer,
} from '../imported.js';
import { metadataTags } from '../rows/columns.js';
import { readAgents } from './agents.js';
import { CODE, readAssertions } from './assertions.js';
import { combinationCount, type MergedTest, mergeTest, varCombinations } from './merged-test.js';
import { readPrompts } from './prompts.js';
import { createScorerFiles, type ScorerFiles } from './scorers.js';
import { type PlacedTest, readTests, testsIn } from './tests.js';
import { transformPointer } from './transforms.js';
import { readVars, renderVars, withVars } from './vars.js';

type Source = Pick<ImportRequest, 'items' | 'open' | 'options'> & {
  readonly from: SourceFile;
  readonly scorers: ScorerFiles;
};

/** There a test passes when every assertion does, and the run when every test does. */
const THRESHOLDS: JsonObject = { passScore: 1 };

function read({ files, ...request }: ImportRequest): ImportDraft {
  const drafts = files.map((from) => {
    const source = { ...request, from, scorers: createScorerFiles(request.open, from) };
    return /\.(?:csv|jsonl|ndjson)$/i.test(from.path)
      ? { tests: testsIn(from, source).flatMap((test) => testsOf([test], source)), ...partsOf(source, {}) }
      : readConfig(source);
  });
  return {
    tests: drafts.flatMap(({ tests }) => tests),
    config: Object.assign({}, ...drafts.map(({ config }) => config)) as JsonObject,
    files: Object.assign({}, ...drafts.map((draft) => draft.files)) as NonNullable<ImportDraft['files']>,
    suite: { thresholds: THRESHOLDS },
  };
}

type Parts = { readonly tests: readonly ImportedTest[] } & Required<Pick<ImportDraft, 'config' | 'files'>>;

function readConfig(source: Source): Parts {
  const { from, items, open } = source;
  const document = readDocument(from);
  const { value } = document;
  if (!isObject(value)) {
    if (Array.isArray(value))
      return {
        tests: testsIn(from, source).flatMap((test) => testsOf([test], source)),
        ...partsOf(source, {}),
      };
    throw unreadable(from.file, `Expected a configuration of promptfoo, got ${typeName(value)}.`);
  }
  const at = placeIn(document);
  loseMembers(value, at, items);
  const layers = [...configTests(value, document, source)];
  const tests = layers.flatMap((one) => testsOf(one, source));
  const inputs = tests.map(({ input }) => input as JsonObject);
  const prompts = readPrompts(value.prompts, inside(at, 'prompts'), source);
  const name = source.options.suiteId.split('.').at(-1) ?? 'imported';
  const member = value.providers === undefined ? 'targets' : 'providers';
  const made = readAgents(value[member], inside(at, member), { items, open, from, name, prompts, inputs });
  return { tests, ...partsOf(source, made) };
}

type AgentFiles = {
  readonly agents?: readonly JsonObject[];
  readonly providers?: JsonObject;
  readonly files?: ImportDraft['files'];
};

/** Members without anything in them are left out. */
function partsOf(
  { scorers }: Source,
  { agents = [], providers = {}, files = {} }: AgentFiles,
): Omit<Parts, 'tests'> {
  const entries = scorers.entries();
  const config = {
    ...(Object.keys(providers).length > 0 && { providers }),
    ...(agents.length > 0 && { agents }),
    ...(Object.keys(entries).length > 0 && { scorers: entries }),
  };
  return { config, files: { ...files, ...scorers.files() } };
}

const LOST = new Set('redteam tracing derivedMetrics extensions nunjucksFilters'.split(' '));
const READ = new Set(
  '$schema prompts providers targets tests scenarios defaultTest description assertionTemplates'.split(' '),
);

function loseMembers(config: JsonObject, at: SourcePointer, items: Source['items']): void {
  for (const name of Object.keys(config)) {
    if (LOST.has(name)) items.lost(inside(at, name), `${name}: nothing here stands for it`);
    else if (!READ.has(name)) items.note(inside(at, name), `${name}: not carried over`);
  }
}

/** Each test with the layers that hold for it, the default test first. */
function configTests(
  config: JsonObject,
  document: SourceDocument,
  source: Source,
): readonly (readonly PlacedTest[])[] {
  const at = placeIn(document);
  const defaults = readDefault(config.defaultTest, inside(at, 'defaultTest'), source);
  const plain = readTests(config.tests, inside(at, 'tests'), source);
  const scenarios = readScenarios(config.scenarios, inside(at, 'scenarios'), source);
  return [...plain.map((test) => [test]), ...scenarios].map((layers) => [...defaults, ...layers]);
}

/** None, or one. */
function readDefault(value: Json | undefined, at: SourcePointer, source: Source): readonly PlacedTest[] {
  if (isObject(value)) return [{ at, value }];
  if (typeof value === 'string') return readTests(value, at, source).slice(0, 1);
  if (value != null) source.items.lost(at, 'defaultTest that is neither a test nor a file');
  return [];
}

/** Every entry of `config` with every test. */
function readScenarios(
  value: Json | undefined,
  at: SourcePointer,
  source: Source,
): readonly (readonly PlacedTest[])[] {
  if (!Array.isArray(value)) {
    if (value != null) source.items.lost(at, 'scenarios that are no list');
    return [];
  }
  return (value as readonly Json[]).flatMap((scenario, index) => {
    const there = inside(at, index);
    if (!isObject(scenario)) {
      source.items.lost(there, 'scenario that is no object');
      return [];
    }
    const data = readTests(scenario.config, inside(there, 'config'), source);
    const tests = readTests(scenario.tests, inside(there, 'tests'), source);
    if (data.length === 0 || tests.length === 0) source.items.lost(there, 'scenario without data or tests');
    return data.flatMap((one) => tests.map((test) => [one, test]));
  });
}

function testsOf(layers: readonly PlacedTest[], source: Source): readonly ImportedTest[] {
  const test = mergeTest(layers.map((layer) => withVars(layer, source)));
  noteOthers(test, source);
  const vars = readVars(test.vars, inside(test.at, 'vars'), source);
  const isWhole = test.options.disableVarExpansion?.value === true;
  if (!isWhole && combinationCount(vars) > MOST_COMBINATIONS) return [tooMany(test, source)];
  return (isWhole ? [vars] : varCombinations(vars)).map((one) =>
    testWith(test, renderVars(one, inside(test.at, 'vars'), source), source),
  );
}

const MOST_COMBINATIONS = 10_000;

function tooMany({ at, assertions }: MergedTest, { items }: Source): ImportedTest {
  items.lost(inside(at, 'vars'), `lists that multiply out to more than ${MOST_COMBINATIONS} tests`);
  return { at, input: {}, expect: [], lost: Math.max(1, assertions.length) };
}

function testWith(test: MergedTest, vars: JsonObject, source: Source): ImportedTest {
  const { at, description, metadata, providerOutput, assertions, threshold } = test;
  const scope = { ...source, vars, pointer: pointerOf(test, source) };
  return {
    at,
    ...(description !== undefined && { id: description, description }),
    input: vars,
    ...readAssertions(assertions, threshold, scope),
    tags: metadataTags(metadata),
    ...(providerOutput !== undefined && { answer: { output: answerOf(providerOutput) } }),
  };
}

/** A provider's answer may stand in an object beside what it cost. */
const answerOf = (value: Json): Json =>
  isObject(value) && value.output !== undefined ? value.output : value;

function pointerOf(
  { options: { transform, postprocess } }: MergedTest,
  { items }: Source,
): string | undefined {
  const option = transform ?? postprocess;
  if (option === undefined) return undefined;
  const pointer = typeof option.value === 'string' ? transformPointer(option.value) : undefined;
  if (pointer === undefined) items.note(option.at, 'transform that is code: see the assertions that need it');
  return pointer ?? CODE;
}

const READ_OPTIONS = new Set('transform postprocess disableVarExpansion disableDefaultAsserts'.split(' '));
const LOST_OPTIONS = new Set('transformVars prefix suffix storeOutputAs response_format'.split(' '));
const LOST_MEMBERS = new Set(['assertScoringFunction']);

function noteOthers({ options, others }: MergedTest, { items }: Source): void {
  for (const { name, at } of others)
    if (LOST_MEMBERS.has(name)) items.lost(at, `${name} of a test`);
    else items.note(at, `${name} of a test: not carried over`);
  for (const [name, { at }] of Object.entries(options))
    if (LOST_OPTIONS.has(name)) items.lost(at, `option ${name} of a test`);
    else if (!READ_OPTIONS.has(name)) items.note(at, `option ${name} of a test: not carried over`);
}

const MEMBERS = ['prompts', 'providers', 'targets', 'tests', 'scenarios', 'defaultTest'];
const has = (value: JsonObject, name: string): boolean => Object.hasOwn(value, name);

export const PROMPTFOO: ImportFormat = {
  read,
  options: [],
  fits: ({ form, value }) => {
    if (!isObject(value)) return false;
    if (form === 'rows')
      return (
        Object.keys(value).some((name) => name.startsWith('__expected')) ||
        (has(value, 'vars') && has(value, 'assert'))
      );
    return MEMBERS.filter((name) => has(value, name)).length > 1;
  },
};
