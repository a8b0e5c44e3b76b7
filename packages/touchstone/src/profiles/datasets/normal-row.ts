import { child, type Issue, isObject, type Json, type JsonObject, typeName } from '@touchstone/protocol';
import type { MemorySeed } from '@touchstone/protocol/bodies';
import { memorySeedIssues } from '../../suites/index.js';
import type { NormalRow } from '../types.js';
import { type Entry, entriesOf, pointerTo, toolsOf } from './row-entries.js';

/** By which names a row may call its parts. */
const NAMES = {
  id: ['id'],
  input: ['input', 'inputs', 'prompt', 'question', 'objective'],
  expected: ['expected'],
  match: ['match'],
  reference: ['reference', 'output', 'answer', 'expected_text', 'text'],
  schema: ['schema', 'structure', 'expected_output_structure', 'expected_structure'],
  forbidden: ['forbidden', 'forbidden_content'],
  criteria: ['criteria'],
  capability: ['capability'],
  tools: ['tools'],
  memory: ['memory'],
  tags: ['tags'],
  files: ['files', 'context_files'],
  context: ['context'],
  toolOutputs: ['tool_outputs'],
  toolMocks: ['tool_mocks'],
} as const;
type Part = keyof typeof NAMES;

/** Names of other tools. One counts only in a row that has none of the names above: beside one it is a further column. */
const OTHER_NAMES: { readonly [name: string]: Part } = {
  messages: 'input',
  ...Object.fromEntries(
    ['target', 'ideal', 'expected_output', 'expectedOutput', 'outputs', '__expected'].map(
      (name) => [name, 'expected'] as const,
    ),
  ),
};

const PART_OF = new Map<string, Part>(
  Object.entries(NAMES).flatMap(([part, names]) => names.map((name) => [name, part as Part] as const)),
);
/** Says where a row comes from, which nothing here depends on. */
const DESCRIBING = new Set(['corpus_id']);

/** Something about a row that is reported once for the whole file, however many rows have it. */
export type RowNote = { readonly code: string; readonly about: string; readonly message: string };

const UNUSED: ReadonlyMap<string, string> = new Map([
  ['expected_schema_id', 'A schema is only known by its text; put it into "schema".'],
  ['expected_reasoning', 'Steps of reasoning are not compared. Ask for them in a criterion.'],
  ['tone', 'Tone is not checked by itself. Ask for it in a criterion.'],
  ['rubric', "The rubric of a task is not carried over: the profile's own criteria apply."],
]);
const CODE_EVAL: RowNote = {
  code: 'code_eval',
  about: 'code_eval',
  message:
    'Rows that ask for code to be run are not checked that way: the criteria of the profile decide them.',
};
const FILES: RowNote = {
  code: 'files_by_name',
  about: 'files',
  message: 'Files of a row reach the agent by name only; what is in them is not read.',
};
const MAX_SHOWN = 64;

function noteOn(key: string): RowNote {
  const unused = UNUSED.get(key);
  if (unused !== undefined)
    return { code: 'unused_row_key', about: key, message: `"${key}" has no effect. ${unused}` };
  const about = JSON.stringify(key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key);
  const message = `Rows have a member ${about} that nothing is known about; it has no effect.`;
  return { code: 'unknown_row_key', about, message };
}

export type RowReading = {
  readonly row?: NormalRow;
  /** Pointers are relative to the row. */
  readonly issues: readonly Issue[];
  readonly notes: readonly RowNote[];
};

type RowOptions = {
  readonly at: number;
  /** The row is made of cells, in which a list of one text looks like that text. */
  readonly cells?: boolean;
};

/** Brings a row of any known shape into the one form that compiling works on. */
export function normaliseRow(value: unknown, { at, cells = false }: RowOptions): RowReading {
  if (!isObject(value))
    return { issues: [{ pointer: '', message: `Expected an object, got ${typeName(value)}.` }], notes: [] };
  const entries = entriesOf(value);
  const parts = new RowParts(cells, new Set(entries.flatMap(({ key }) => PART_OF.get(key) ?? [])));
  for (const entry of entries) parts.take(entry);
  const members = parts.read();
  const { issues, notes } = parts;
  return issues.length > 0 ? { issues, notes } : { row: { ...members, at } as NormalRow, issues, notes };
}

/** Whether a table can have rows at all, by the names of its columns. */
export const columnIssues = (columns: readonly string[]): readonly Issue[] =>
  columns.some((column) => PART_OF.get(column) === 'input' || OTHER_NAMES[column] === 'input')
    ? []
    : [NO_INPUT];

const NO_INPUT: Issue = { pointer: '', message: `Expected an input: one of ${NAMES.input.join(', ')}.` };

const MATCHES = ['exact', 'contains', 'json-match'];

type Members = { -readonly [member in keyof NormalRow]?: unknown };

class RowParts {
  readonly issues: Issue[] = [];
  readonly notes: RowNote[] = [];
  private readonly entries = new Map<Part, Entry>();

  constructor(
    private readonly cells: boolean,
    /** Parts that the row has under a name of ours. */
    private readonly own: ReadonlySet<Part>,
  ) {}

  private partOf(key: string): Part | undefined {
    const other = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
    return other === undefined || this.own.has(other) ? PART_OF.get(key) : other;
  }

  take(entry: Entry): void {
    const part = this.partOf(entry.key);
    if (entry.issue !== undefined) this.refuse(entry, entry.issue);
    else if (entry.key === 'code_eval') this.notes.push(CODE_EVAL);
    else if (part === undefined) {
      if (!DESCRIBING.has(entry.key)) this.notes.push(noteOn(entry.key));
    } else {
      const earlier = this.entries.get(part);
      if (earlier) this.refuse(entry, `"${earlier.key}" says the same already. Keep one of the two.`);
      else this.entries.set(part, entry);
    }
  }

  /** Everything is looked at, so that all issues of a row are reported together. */
  read(): Members {
    const members: Members = this.input();
    for (const [part, entry] of this.entries) this.readPart(part, entry, members);
    const { tools, issues } = toolsOf(
      this.entries.get('tools'),
      this.entries.get('toolOutputs'),
      this.entries.get('toolMocks'),
    );
    this.issues.push(...issues);
    if (tools) members.tools = tools;
    return members;
  }

  private readPart(part: Part, entry: Entry, members: Members): void {
    const { value } = entry;
    if (part === 'expected') members.expected = value;
    else if (part === 'id') members.id = typeof value === 'number' ? String(value) : this.text(entry);
    else if (part === 'capability') members.capability = this.text(entry);
    else if (part === 'memory') members.memory = this.memory(entry);
    else if (part === 'forbidden' || part === 'criteria' || part === 'tags')
      members[part] = this.texts(entry);
    else if (part === 'match')
      members.match = this.that(entry, MATCHES.includes(value as string), `one of ${MATCHES.join(', ')}`);
    else if (part === 'reference')
      members.reference = this.that(
        entry,
        !Array.isArray(value) || value.length > 0,
        'at least one acceptable answer in the list',
      );
    else if (part === 'schema')
      members.schema = this.that(entry, isObject(value), `an object, got ${typeName(value)}`);
  }

  private refuse(entry: Entry, message: string): undefined {
    this.issues.push({ pointer: pointerTo(entry), message });
    return undefined;
  }

  private that(entry: Entry, holds: boolean, expected: string): unknown {
    return holds ? entry.value : this.refuse(entry, `Expected ${expected}.`);
  }

  private text(entry: Entry): unknown {
    const { value } = entry;
    const got = value === '' ? 'an empty one' : typeName(value);
    const holds = typeof value === 'string' && value !== '';
    return this.that(entry, holds, `a text that is not empty, got ${got}`);
  }

  private texts(entry: Entry): readonly string[] | undefined {
    const list = this.listOf(entry.value);
    if (list?.every((item) => typeof item === 'string' && item !== '')) return list as readonly string[];
    return this.refuse(entry, 'Expected an array of texts that are not empty.');
  }

  private listOf(value: unknown): readonly unknown[] | undefined {
    if (this.cells && typeof value === 'string') return [value];
    return Array.isArray(value) ? value : undefined;
  }

  private memory(entry: Entry): readonly MemorySeed[] | undefined {
    const list = this.listOf(entry.value);
    if (!list)
      return this.refuse(entry, `Expected an array of memory entries, got ${typeName(entry.value)}.`);
    const seeds = list.map((seed) => (typeof seed === 'string' ? { content: seed } : seed));
    const issues = seeds.flatMap((seed, index) => seedIssues(seed, child(pointerTo(entry), index)));
    this.issues.push(...issues);
    return issues.length > 0 ? undefined : (seeds as readonly MemorySeed[]);
  }

  /** Context and files belong to the input, so they travel with it: in it, where it has room for them. */
  private input(): Members {
    const entry = this.entries.get('input');
    if (!entry) {
      this.issues.push(NO_INPUT);
      return {};
    }
    const input = (entry.key === 'messages' ? { messages: entry.value } : entry.value) as Json;
    const beside = this.besideInput();
    if (isEmpty(beside)) return { input };
    if (!isObject(input)) return { input, beside };
    const twice = Object.keys(beside).find((name) => Object.hasOwn(input, name));
    if (twice === undefined) return { input: { ...input, ...beside } };
    const message = `The row has "${twice}" beside its input already. Keep one of the two.`;
    this.issues.push({ pointer: child(pointerTo(entry), twice), message });
    return {};
  }

  private besideInput(): JsonObject {
    const files = this.entries.get('files');
    const context = this.entries.get('context');
    const hasFiles = files && !isEmpty(files.value);
    if (hasFiles) this.notes.push(FILES);
    return {
      ...(hasFiles && { files: this.texts(files) ?? [] }),
      ...(context && !isEmpty(context.value) && { context: context.value as Json }),
    };
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const seedIssues = (seed: unknown, pointer: string): readonly Issue[] =>
  isObject(seed)
    ? memorySeedIssues(seed, pointer)
    : [{ pointer, message: `Expected an object or a text, got ${typeName(seed)}.` }];
