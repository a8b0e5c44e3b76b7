import { child, type Issue, isObject, type Json, type JsonObject, typeName } from '@touchstone/protocol';
import type { MemorySeed } from '@touchstone/protocol/bodies';
import { memorySeedIssues } from '../../suites/index.js';
import type { NormalRow } from '../types.js';
import { toolsOf } from './row-tools.js';
import { type Entry, entriesOf, placeOf } from './shapes.js';

type Member = Exclude<keyof NormalRow, 'at'>;
type Part = Exclude<Member, 'beside'> | 'files' | 'context' | 'toolOutputs' | 'toolMocks';

/** By which names a row may call its parts. */
const NAMES: { readonly [part in Part]: readonly string[] } = {
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
};
/** Parts that are read on their own. */
type Plain = Exclude<Member, 'input' | 'beside' | 'tools'>;
const TOGETHER: ReadonlySet<Part> = new Set([
  'input',
  'files',
  'context',
  'tools',
  'toolOutputs',
  'toolMocks',
]);
const isPlain = (part: Part): part is Plain => !TOGETHER.has(part);

const PART_OF = new Map<string, Part>(
  Object.entries(NAMES).flatMap(([part, names]) => names.map((name) => [name, part as Part] as const)),
);
/** Says where a row comes from, which nothing here depends on. */
const DESCRIBING = new Set(['corpus_id']);

/** Something about a row that is told once for the whole file, however many rows have it. */
export type RowNote = { readonly code: string; readonly about: string; readonly message: string };

const UNUSED: { readonly [key: string]: RowNote } = Object.fromEntries(
  [
    ['expected_schema_id', 'A schema is only known by its text; put it into "schema".'],
    ['expected_reasoning', 'Steps of reasoning are not compared. Ask for them in a criterion.'],
    ['tone', 'Tone is not checked by itself. Ask for it in a criterion.'],
    ['rubric', "The rubric of a task is not carried over: the profile's own criteria apply."],
  ].map(([about, message]) => [
    about,
    { code: 'unused_row_key', about, message: `"${about}" has no effect. ${message}` },
  ]),
);
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
  const reader = new RowReader(cells);
  for (const entry of entriesOf(value)) reader.take(entry);
  const members = reader.read();
  const { issues, notes } = reader;
  return issues.length > 0 ? { issues, notes } : { row: { ...members, at } as NormalRow, issues, notes };
}

/** Whether a table can have rows at all, by the names of its columns. */
export const columnIssues = (columns: readonly string[]): readonly Issue[] =>
  columns.some((column) => NAMES.input.includes(column)) ? [] : [noInput()];

const noInput = (): Issue => ({
  pointer: '',
  message: `Expected an input: one of ${NAMES.input.join(', ')}.`,
});

const MATCHES = ['exact', 'contains', 'json-match'];
const MAX_SHOWN = 64;

class RowReader {
  readonly issues: Issue[] = [];
  readonly notes: RowNote[] = [];
  private readonly parts = new Map<Part, Entry>();

  constructor(private readonly cells: boolean) {}

  take(entry: Entry): void {
    const part = PART_OF.get(entry.key);
    if (entry.flaw !== undefined) this.refuse(placeOf(entry), entry.flaw);
    else if (part !== undefined) this.takePart(part, entry);
    else if (entry.key === 'code_eval') this.notes.push(CODE_EVAL);
    else if (!DESCRIBING.has(entry.key)) this.notes.push(noteOn(entry.key));
  }

  private takePart(part: Part, entry: Entry): void {
    const earlier = this.parts.get(part);
    if (earlier) this.refuse(placeOf(entry), `"${earlier.key}" says the same already. Keep one of the two.`);
    else this.parts.set(part, entry);
  }

  /** Everything is looked at, so that a row with several faults tells them all. */
  read(): { [member in Member]?: unknown } {
    const members: { [member in Member]?: unknown } = this.input();
    for (const [part, entry] of this.parts) {
      if (!isPlain(part)) continue;
      members[part] = this.readPlain(part, entry);
    }
    const tools = this.tools();
    if (tools) members.tools = tools;
    return members;
  }

  private readPlain(part: Plain, entry: Entry): unknown {
    switch (part) {
      case 'expected':
        return entry.value;
      case 'id':
        return typeof entry.value === 'number' ? String(entry.value) : this.text(entry);
      case 'match':
        return MATCHES.includes(entry.value as string)
          ? entry.value
          : this.refuse(placeOf(entry), `Expected one of ${MATCHES.join(', ')}.`);
      case 'reference':
        return this.reference(entry);
      case 'schema':
        return this.object(entry);
      case 'capability':
        return this.text(entry);
      case 'memory':
        return this.memory(entry);
      default:
        return this.texts(entry);
    }
  }

  private refuse(pointer: string, message: string): undefined {
    this.issues.push({ pointer, message });
    return undefined;
  }

  private text(entry: Entry): string | undefined {
    const { value } = entry;
    if (typeof value === 'string' && value !== '') return value;
    const got = value === '' ? 'an empty one' : typeName(value);
    return this.refuse(placeOf(entry), `Expected a text that is not empty, got ${got}.`);
  }

  private reference(entry: Entry): Json | undefined {
    const isEmpty = Array.isArray(entry.value) && entry.value.length === 0;
    return isEmpty
      ? this.refuse(placeOf(entry), 'Expected at least one acceptable answer in the list.')
      : (entry.value as Json);
  }

  private object(entry: Entry): JsonObject | undefined {
    return isObject(entry.value)
      ? (entry.value as JsonObject)
      : this.refuse(placeOf(entry), `Expected an object, got ${typeName(entry.value)}.`);
  }

  private texts(entry: Entry): readonly string[] | undefined {
    const list = this.listOf(entry.value);
    if (list?.every((item) => typeof item === 'string' && item !== '')) return list as readonly string[];
    return this.refuse(placeOf(entry), 'Expected an array of texts that are not empty.');
  }

  private listOf(value: unknown): readonly unknown[] | undefined {
    if (this.cells && typeof value === 'string') return [value];
    return Array.isArray(value) ? value : undefined;
  }

  private memory(entry: Entry): readonly MemorySeed[] | undefined {
    const place = placeOf(entry);
    const list = this.listOf(entry.value);
    if (!list)
      return this.refuse(place, `Expected an array of memory entries, got ${typeName(entry.value)}.`);
    const seeds = list.map((seed) => (typeof seed === 'string' ? { content: seed } : seed));
    const issues = seeds.flatMap((seed, index) => seedIssues(seed, child(place, index)));
    this.issues.push(...issues);
    return issues.length > 0 ? undefined : (seeds as readonly MemorySeed[]);
  }

  /** Context and files belong to what is asked, so they travel with it: in it, where it has room for them. */
  private input(): { input?: Json; beside?: JsonObject } {
    const entry = this.parts.get('input');
    if (!entry) {
      this.issues.push(noInput());
      return {};
    }
    const input = entry.value as Json;
    const beside = this.besideInput();
    if (!beside) return { input };
    if (!isObject(input)) return { input, beside };
    const twice = Object.keys(beside).find((name) => Object.hasOwn(input, name));
    if (twice === undefined) return { input: { ...(input as JsonObject), ...beside } };
    const message = `The row has "${twice}" beside its input already. Keep one of the two.`;
    this.refuse(child(placeOf(entry), twice), message);
    return {};
  }

  private besideInput(): JsonObject | undefined {
    const files = this.parts.get('files');
    const context = this.parts.get('context');
    const beside = {
      ...(files && !isEmpty(files.value) && { files: this.texts(files) ?? [] }),
      ...(context && !isEmpty(context.value) && { context: context.value as Json }),
    };
    if ('files' in beside) this.notes.push(FILES);
    return isEmpty(beside) ? undefined : beside;
  }

  private tools(): NormalRow['tools'] {
    const { tools, issues } = toolsOf({
      list: this.parts.get('tools'),
      outputs: this.parts.get('toolOutputs'),
      mocks: this.parts.get('toolMocks'),
    });
    this.issues.push(...issues);
    return tools;
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const seedIssues = (seed: unknown, pointer: string): readonly Issue[] =>
  isObject(seed)
    ? memorySeedIssues(seed, pointer)
    : [{ pointer, message: `Expected an object or a text, got ${typeName(seed)}.` }];

function noteOn(key: string): RowNote {
  if (Object.hasOwn(UNUSED, key)) return UNUSED[key] as RowNote;
  const shown = JSON.stringify(key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key);
  return {
    code: 'unknown_row_key',
    about: shown,
    message: `Rows have a member ${shown} that nothing is known about; it has no effect.`,
  };
}
