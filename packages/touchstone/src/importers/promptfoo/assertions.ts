import { parse } from 'node:path';
import { child, defined, isObject, type Json, type JsonObject, readPointer } from '@touchstone/protocol';
import { sentenceFor } from '../../suites/index.js';
import { inside, readDocument, textOf } from '../documents.js';
import type {
  Expectation,
  ImportRequest,
  ItemCollector,
  PlacedExpectation,
  SourceFile,
  SourcePointer,
} from '../imported.js';
import type { Converter, Outcome } from './assertion.js';
import { PLAIN_CHECKS } from './checks.js';
import { JUDGED_CHECKS } from './judged.js';
import type { ScorerFiles } from './scorers.js';
import { renderDeep } from './templates.js';
import { TRAJECTORY_CHECKS } from './trajectory.js';
import { transformPointer } from './transforms.js';

/** What the assertions of one test are read with. */
export type AssertionScope = {
  readonly vars: JsonObject;
  /** Where the answer is that assertions are about, after the transform of the test. */
  readonly pointer?: string | undefined;
  readonly items: ItemCollector;
  readonly scorers: ScorerFiles;
  readonly open: ImportRequest['open'];
  readonly from: SourceFile;
};

/** An entry of `assert` with its place. */
export type PlacedAssertion = { readonly at: SourcePointer; readonly entry: Json };
export type Expectations = { readonly expect: readonly PlacedExpectation[]; readonly lost: number };

const NONE: Expectations = { expect: [], lost: 0 };
const join = (parts: readonly Expectations[]): Expectations => ({
  expect: parts.flatMap(({ expect }) => expect),
  lost: parts.reduce((sum, part) => sum + part.lost, 0),
});

/** All assertions have to be met, or with a threshold so much of their weight. */
export function readAssertions(
  assertions: readonly PlacedAssertion[],
  threshold: { readonly value: number; readonly at: SourcePointer } | undefined,
  scope: AssertionScope,
): Expectations {
  const read = join(assertions.map((assertion) => readAssertion(assertion, scope)));
  return threshold === undefined || read.expect.length === 0
    ? read
    : together(read, threshold.value, threshold.at, scope);
}

/** Checks that stand inside `all`. */
const OUTSIDE: ReadonlySet<string> = new Set(['judge', 'similar', 'scorer', 'all', 'any']);

/** One check for several: what cannot stand inside it is lost. */
function together(
  read: Expectations,
  min: number,
  at: SourcePointer,
  { items }: AssertionScope,
): Expectations {
  const parts = read.expect.flatMap(({ at: place, entry }) => {
    const part = partOf(entry);
    if (!part) items.lost(place, 'assertion under a threshold that no check of checks can hold');
    return part ? [part] : [];
  });
  const lost = read.lost + read.expect.length - parts.length;
  if (parts.length === 0) return { expect: [], lost };
  const entry = { all: { of: parts, min } };
  return { expect: [{ at, entry, ...(parts.length > 1 && { count: parts.length }) }], lost };
}

function partOf(entry: Expectation): JsonObject | undefined {
  if (typeof entry === 'string') return undefined;
  const { says: _, weight, ...check } = entry;
  const [name = ''] = Object.keys(check);
  return OUTSIDE.has(name) ? undefined : { ...check, ...(weight !== undefined && { weight }) };
}

const TEMPLATE = '#/assertionTemplates/';

function readAssertion({ at, entry }: PlacedAssertion, scope: AssertionScope): Expectations {
  if (!isObject(entry)) return lose(at, 'assertion that is no object', scope);
  const { $ref } = entry;
  if (typeof $ref !== 'string') return readEntry(at, entry, scope);
  const found = $ref.startsWith(TEMPLATE) ? readPointer(at.document.value, $ref.slice(1)) : undefined;
  return isObject(found) ? readEntry(at, found, scope) : lose(at, 'assertion: its $ref leads nowhere', scope);
}

function readEntry(at: SourcePointer, entry: JsonObject, scope: AssertionScope): Expectations {
  const { type } = entry;
  if (typeof type !== 'string') return lose(at, 'assertion without a type', scope);
  return type === 'assert-set' ? readSet(at, entry, scope) : readOne(at, type, entry, scope);
}

/** A set without a threshold holds when all of it does: its assertions stand for themselves. */
function readSet(
  at: SourcePointer,
  { assert, threshold, weight }: JsonObject,
  scope: AssertionScope,
): Expectations {
  const list = Array.isArray(assert) ? (assert as readonly Json[]) : [];
  const placed = list.map((entry, index) => ({ at: inside(inside(at, 'assert'), index), entry }));
  const own = typeof threshold === 'number' ? { value: threshold, at } : undefined;
  const { expect, lost } = readAssertions(placed, own, scope);
  if (typeof weight !== 'number') return { expect, lost };
  const weighted = expect.map((one) => ({ ...one, entry: withWeight(one.entry, weight) }));
  return { expect: weighted, lost };
}

function withWeight(entry: Expectation, factor: number): JsonObject {
  if (typeof entry === 'string') return { judge: {}, says: entry, weight: factor };
  return { ...entry, weight: factor * (typeof entry.weight === 'number' ? entry.weight : 1) };
}

function readOne(at: SourcePointer, type: string, raw: JsonObject, scope: AssertionScope): Expectations {
  const not = type.startsWith('not-');
  const base = not ? type.slice('not-'.length) : type;
  const convert = converterOf(base, scope.scorers);
  if (!convert) return lose(at, `assertion ${type}: nothing here stands for it`, scope);
  const value = readValue(raw.value, base, scope);
  if ('lost' in value) return lose(at, `assertion ${type}: ${value.lost}`, scope);
  const threshold = typeof raw.threshold === 'number' ? raw.threshold : undefined;
  const outcome = convert({ type: base, not, value: value.value, threshold, raw, vars: scope.vars });
  if ('lost' in outcome) return lose(at, `assertion ${type} ${outcome.lost}`, scope, outcome.hint);
  const pointer = pointerFor(raw, scope);
  if (isOutOfReach(outcome.check, pointer)) return lose(at, `assertion ${type}: ${OUT_OF_REACH}`, scope);
  noteGrader(at, raw, scope);
  if (outcome.changed !== undefined)
    scope.items.changed(at, `assertion ${type}: ${outcome.changed}`, `check ${outcome.check}`);
  return { expect: [{ at, entry: entryOf(outcome, { not, pointer, raw }) }], lost: 0 };
}

const converterOf = (type: string, { converters }: ScorerFiles): Converter | undefined =>
  [PLAIN_CHECKS, JUDGED_CHECKS, TRAJECTORY_CHECKS, converters].find((table) => Object.hasOwn(table, type))?.[
    type
  ];

function lose(at: SourcePointer, what: string, { items }: AssertionScope, hint?: string): Expectations {
  items.lost(at, what, hint);
  return { ...NONE, lost: 1 };
}

const CODE_TYPES: ReadonlySet<string> = new Set(['javascript', 'python']);
const CODE_FILE = /\.(?:[cm]?[jt]s|py|rb)(?::\w+)?$/;

/** The value with variables filled in, or of the file that it names. */
function readValue(
  value: Json | undefined,
  type: string,
  { vars, open, from }: AssertionScope,
): { readonly value: Json | undefined } | { readonly lost: string } {
  if (value === undefined) return { value };
  const isFile = typeof value === 'string' && value.startsWith('file://');
  if (isFile && !CODE_TYPES.has(type)) {
    if (CODE_FILE.test(value)) return { lost: 'its value comes from code' };
    const [file] = open(value.slice('file://'.length), from);
    return file ? { value: valueIn(file) } : { lost: 'the file of its value is not there' };
  }
  const rendered = isFile ? value : renderDeep(value, vars);
  return rendered === undefined
    ? { lost: 'its value is a template with more than names' }
    : { value: rendered };
}

export const valueIn = (file: SourceFile): Json =>
  /^\.(?:json|ya?ml)$/i.test(parse(file.path).ext) ? readDocument(file).value : textOf(file).trim();

/** In place of a pointer: the transform is code. */
export const CODE = 'code';

/** The pointer of the transform of an assertion, below that of its test. */
function pointerFor({ transform }: JsonObject, { pointer }: AssertionScope): string | undefined {
  if (transform === undefined || pointer === CODE) return pointer;
  const own = typeof transform === 'string' ? transformPointer(transform) : undefined;
  return own === undefined ? CODE : `${pointer ?? ''}${own}`;
}

function noteGrader(
  at: SourcePointer,
  { provider, rubricPrompt }: JsonObject,
  { items }: AssertionScope,
): void {
  if (provider !== undefined)
    items.note(inside(at, 'provider'), 'provider of an assertion: not carried over');
  if (rubricPrompt !== undefined)
    items.note(inside(at, 'rubricPrompt'), 'rubricPrompt of an assertion: not carried over');
}

/** Checks that see none of the answer, or all of it. */
const WITHOUT_ANSWER: ReadonlySet<string> = new Set(
  'latency cost all tool-called tool-not-called tool-sequence'.split(' '),
);
const WHOLE_ANSWER: ReadonlySet<string> = new Set(['judge', 'scorer']);

const OUT_OF_REACH = 'the transform of the answer cannot be carried over to it';

/** A transform that is code is not run. */
const isOutOfReach = (check: string, pointer: string | undefined): boolean =>
  !WITHOUT_ANSWER.has(check) && pointer === CODE;

/** A scorer is given the whole answer: its program takes the part. */
const withPart = (args: JsonObject, at: string | undefined): JsonObject =>
  at === undefined ? args : { ...args, config: { ...(args.config as JsonObject), at } };

type CheckOutcome = Exclude<Outcome, { readonly lost: string }>;

function entryOf(
  { check, args, says, turned }: CheckOutcome,
  {
    not,
    pointer,
    raw,
  }: { readonly not: boolean; readonly pointer: string | undefined; readonly raw: JsonObject },
): Expectation {
  const withNot = not && turned !== true ? { ...args, not: true } : args;
  const at = WITHOUT_ANSWER.has(check) || WHOLE_ANSWER.has(check) ? undefined : pointer;
  const all = check === 'scorer' ? withPart(withNot, pointer) : (defined({ ...withNot, at }) as JsonObject);
  const { metric, weight } = raw;
  const sentence = says ?? sentenceFor(check as Parameters<typeof sentenceFor>[0], all);
  const named = typeof metric === 'string' && metric !== '' ? `${metric}: ${sentence}` : says;
  const isProse = check === 'judge' && Object.keys(all).length === 0 && weight === undefined;
  if (isProse && named !== undefined) return named;
  return defined({
    [check]: all,
    weight: typeof weight === 'number' ? weight : undefined,
    says: named,
  }) as JsonObject;
}

/** Where an assertion of a list stands. */
export const placedAssertions = (list: Json | undefined, at: SourcePointer): readonly PlacedAssertion[] =>
  Array.isArray(list)
    ? (list as readonly Json[]).map((entry, index) => ({
        at: { document: at.document, pointer: child(at.pointer, index) },
        entry,
      }))
    : [];
