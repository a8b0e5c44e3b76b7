import {
  child,
  defined,
  type Issue,
  isObject,
  type Json,
  type JsonObject,
  typeName,
} from '@touchstone/protocol';
import { type RubricLine, readExpectation, scaleWeights } from './expectations.js';
import { ROW_EXPECTS, type RowExpect, type RowMap, rowIssues, tasksOf } from './rows.js';

/** What an author says about a task and the wire has no place for. */
export type TaskNotes = { readonly tags?: readonly string[]; readonly description?: string };

/** A suite as an author wrote it, turned into the form of the wire. */
export type SuiteCompilation = {
  /** The document of the wire; not yet checked against its schema. */
  readonly document: unknown;
  readonly notes: ReadonlyMap<string, TaskNotes>;
  /** What is wrong with the author's own members, by places in the author's text. */
  readonly issues: readonly Issue[];
  /** The place in the author's text of a place in the document. */
  sourceOf(pointer: string): string;
};

/** Rows of a file beside the suite. Throws when they cannot be read. */
export type ReadRows = (file: string) => readonly JsonObject[];

type Reading = {
  readonly issues: Issue[];
  readonly notes: Map<string, TaskNotes>;
  /** The places of tasks whose criteria were written as `expect`. */
  readonly expecting: Set<number>;
};

/** A document that needs nothing of this comes back as it is, so its digest does not depend on this function. */
export function compileSuite(value: unknown, readRows?: ReadRows): SuiteCompilation {
  const reading: Reading = { issues: [], notes: new Map(), expecting: new Set() };
  if (!isObject(value))
    return { document: value, issues: [], notes: new Map(), sourceOf: (pointer) => pointer };
  const { $schema: _, defaults: given, rows, ...rest } = value as JsonObject;
  const defaults = readDefaults(given, reading);
  const hasDefaults = defaults.expect.length > 0;
  const listed =
    rows === undefined ? rest.tasks : readTasks(rows, rest.tasks, { readRows, hasDefaults }, reading);
  const tasks = Array.isArray(listed)
    ? (listed as readonly Json[]).map((task, at) => compileTask(task, at, defaults, reading))
    : listed;
  const modes = rest.modes ?? modesOf(tasks);
  const document = defined({ ...rest, modes, tasks }) as JsonObject;
  const sources = {
    fromRows: rows !== undefined,
    defaults: defaults.expect.length,
    expecting: reading.expecting,
  };
  const { issues, notes } = reading;
  return { document, issues, notes, sourceOf: createSourceOf(sources) };
}

type Defaults = {
  readonly expect: readonly RubricLine[];
  readonly fixtures?: JsonObject;
};

function readDefaults(given: Json | undefined, { issues }: Reading): Defaults {
  if (given === undefined) return { expect: [] };
  if (!isObject(given)) return refuse(issues, '/defaults', `Expected an object, got ${typeName(given)}.`);
  const { expect, fixtures, ...unknown } = given;
  for (const name of Object.keys(unknown))
    issues.push({
      pointer: child('/defaults', name),
      message: 'Expected only "expect" and "fixtures" here.',
    });
  const criteria = expect === undefined ? [] : readExpect(expect, '/defaults/expect', issues);
  if (fixtures !== undefined && !isObject(fixtures))
    return refuse(issues, '/defaults/fixtures', `Expected an object, got ${typeName(fixtures)}.`);
  return { expect: criteria, ...(isObject(fixtures) && { fixtures }) };
}

function refuse(issues: Issue[], pointer: string, message: string): Defaults {
  issues.push({ pointer, message });
  return { expect: [] };
}

function readExpect(expect: Json, pointer: string, issues: Issue[]): readonly RubricLine[] {
  if (!Array.isArray(expect)) {
    issues.push({ pointer, message: `Expected a list of sentences and checks, got ${typeName(expect)}.` });
    return [];
  }
  return (expect as readonly Json[]).flatMap((entry, at) => {
    const read = readExpectation(entry, child(pointer, at));
    if ('criterion' in read) return [read.criterion];
    issues.push(...read.issues);
    return [];
  });
}

function compileTask(task: Json, at: number, defaults: Defaults, reading: Reading): Json {
  if (!isObject(task)) return task;
  const pointer = child('/tasks', at);
  const { expect, tags, description, ...rest } = task;
  keepNotes(rest.taskId, { tags, description }, pointer, reading);
  const fixtures = defaults.fixtures && {
    ...defaults.fixtures,
    ...(isObject(rest.fixtures) ? rest.fixtures : {}),
  };
  const withFixtures =
    fixtures && (rest.fixtures === undefined || isObject(rest.fixtures)) ? { ...rest, fixtures } : rest;
  if (expect === undefined) return withFixtures;
  if (rest.expected !== undefined) {
    reading.issues.push({
      pointer: child(pointer, 'expect'),
      message: 'Expected either "expect" or "expected".',
    });
    return withFixtures;
  }
  reading.expecting.add(at);
  const own = readExpect(expect, child(pointer, 'expect'), reading.issues);
  const rubric = scaleWeights([...defaults.expect, ...own]);
  if (rubric.length === 0 && reading.issues.length === 0)
    reading.issues.push({
      pointer: child(pointer, 'expect'),
      message: 'Expected at least one sentence or check.',
    });
  return { ...withFixtures, expected: { kind: 'rubric', rubric: rubric as unknown as Json } };
}

function keepNotes(
  taskId: Json | undefined,
  { tags, description }: { readonly tags?: Json | undefined; readonly description?: Json | undefined },
  pointer: string,
  { issues, notes }: Reading,
): void {
  const isTags =
    tags === undefined || (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && tag !== ''));
  if (!isTags) issues.push({ pointer: child(pointer, 'tags'), message: 'Expected a list of words.' });
  if (description !== undefined && typeof description !== 'string')
    issues.push({
      pointer: child(pointer, 'description'),
      message: `Expected text, got ${typeName(description)}.`,
    });
  if (typeof taskId !== 'string' || (tags === undefined && description === undefined)) return;
  notes.set(taskId, defined({ tags, description }) as TaskNotes);
}

function readTasks(
  rows: Json,
  tasks: Json | undefined,
  { readRows, hasDefaults }: { readonly readRows: ReadRows | undefined; readonly hasDefaults: boolean },
  { issues }: Reading,
): Json | undefined {
  const source = readSource(rows, issues);
  if (tasks !== undefined) issues.push({ pointer: '/rows', message: 'Expected either "rows" or "tasks".' });
  if (!readRows) issues.push({ pointer: '/rows', message: 'Rows can be read only for a suite in a file.' });
  if (!source || !readRows || tasks !== undefined) return tasks ?? [];
  try {
    const given = readRows(source.file);
    const troubles = rowIssues(given, source, hasDefaults);
    issues.push(...troubles);
    return troubles.length > 0 ? [] : (tasksOf(given, source) as readonly Json[]);
  } catch (error) {
    issues.push({ pointer: '/rows/file', message: (error as Error).message });
    return [];
  }
}

const MAPPED = ['input', 'expected', 'id', 'tags', 'context'];

function readSource(rows: Json, issues: Issue[]) {
  const { file, map = {}, expect, ...unknown } = isObject(rows) ? rows : {};
  const troubles: Issue[] = [
    ...(isObject(rows)
      ? []
      : [{ pointer: '/rows', message: `Expected {"file", "map"}, got ${typeName(rows)}.` }]),
    ...Object.keys(unknown).map((name) => ({
      pointer: child('/rows', name),
      message: 'Expected only "file", "map" and "expect" here.',
    })),
    ...(isObject(rows) && typeof file !== 'string'
      ? [{ pointer: '/rows/file', message: 'Expected the path of a .csv, .json or .jsonl file.' }]
      : []),
    ...(isRowMap(map)
      ? []
      : [{ pointer: '/rows/map', message: `Expected columns or pointers for ${MAPPED.join(', ')}.` }]),
    ...(expect === undefined || ROW_EXPECTS.includes(expect as RowExpect)
      ? []
      : [{ pointer: '/rows/expect', message: `Expected one of ${ROW_EXPECTS.join(', ')}.` }]),
  ];
  issues.push(...troubles);
  if (troubles.length > 0) return undefined;
  return {
    file: file as string,
    map: map as RowMap,
    ...defined({ expect: expect as RowExpect | undefined }),
  };
}

const isRowMap = (map: Json): boolean =>
  isObject(map) &&
  Object.entries(map).every(([name, column]) => MAPPED.includes(name) && typeof column === 'string');

/** The kinds that occur. Left out when nothing occurs: the schema then says what is missing. */
function modesOf(tasks: Json | undefined): Json | undefined {
  if (!Array.isArray(tasks)) return undefined;
  const kinds = new Set(
    (tasks as readonly Json[]).map((task) =>
      isObject(task) && isObject(task.expected) ? task.expected.kind : undefined,
    ),
  );
  const modes = ['golden', 'rubric'].filter((kind) => kinds.has(kind));
  return modes.length === 0 ? undefined : modes;
}

type Sources = {
  readonly fromRows: boolean;
  readonly defaults: number;
  readonly expecting: ReadonlySet<number>;
};

const CRITERION = /^\/tasks\/(\d+)\/expected\/rubric\/(\d+)/;

/** A criterion stands in `expect` of its task, behind those of the defaults; a task of a row stands in no text of its own. */
function createSourceOf({ fromRows, defaults, expecting }: Sources): SuiteCompilation['sourceOf'] {
  return (pointer) => {
    if (fromRows && pointer.startsWith('/tasks/')) return '/rows';
    const [, task, index] = CRITERION.exec(pointer) ?? [];
    if (task === undefined || !expecting.has(Number(task))) return pointer;
    const at = Number(index);
    return at < defaults ? `/defaults/expect/${at}` : `/tasks/${task}/expect/${at - defaults}`;
  };
}
