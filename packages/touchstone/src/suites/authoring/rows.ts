import { isObject, type Json, type JsonObject, readPointer } from '@touchstone/protocol';

/** Which column or pointer of a row is what. */
export type RowMap = { readonly [member in 'input' | 'expected' | 'id' | 'tags' | 'context']?: string };
/** What a row's expected value becomes; by its shape when absent. */
export const ROW_EXPECTS = ['exact', 'contains', 'json', 'judge', 'overlap', 'none'] as const;
export type RowExpect = (typeof ROW_EXPECTS)[number];
export type RowSource = { readonly file: string; readonly map: RowMap; readonly expect?: RowExpect };

/** A longer line is rather told in other words than repeated. */
const SHORT_ANSWER = 40;
const DEFAULT_OVERLAP = 0.75;

/** Tasks in the form an author writes them, one per row. */
export function tasksOf(rows: readonly JsonObject[], source: RowSource): readonly JsonObject[] {
  const ids = createIds();
  return rows.map((row, index) => taskOf(row, index, source, ids));
}

function taskOf(
  row: JsonObject,
  index: number,
  { map, expect }: RowSource,
  ids: (id: string) => string,
): JsonObject {
  const [input, expected, id, tags, context] = (['input', 'expected', 'id', 'tags', 'context'] as const).map(
    (member) => cell(row, map[member] ?? (member === 'input' || member === 'expected' ? member : undefined)),
  );
  const expectation = expected === undefined ? [] : expectationOf(expected, expect ?? expectFor(expected));
  return {
    taskId: ids(slug(String(id ?? '')) || `t-${String(index + 1).padStart(4, '0')}`),
    input: context === undefined ? (input ?? row) : { input: input ?? null, context },
    expect: expectation,
    ...(tags !== undefined && { tags: tagsOf(tags) }),
  };
}

/** A name of a column, or a pointer into the row. */
function cell(row: JsonObject, name: string | undefined): Json | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(row, name)) return row[name];
  return name.startsWith('/') ? readPointer(row, name) : undefined;
}

export function expectFor(expected: Json): RowExpect {
  if (typeof expected !== 'string') return 'json';
  return expected.length <= SHORT_ANSWER && !expected.includes('\n') ? 'exact' : 'judge';
}

function expectationOf(expected: Json, expect: RowExpect): readonly JsonObject[] {
  const text = typeof expected === 'string' ? expected : JSON.stringify(expected);
  if (expect === 'none') return [];
  if (expect === 'exact') return [{ equals: { value: expected } }];
  if (expect === 'contains') return [{ contains: { text } }];
  if (expect === 'overlap') return [{ overlap: { text, min: DEFAULT_OVERLAP } }];
  if (expect === 'json') return [{ 'json-subset': { value: escaped(expected) } }];
  return [{ judge: { reference: expected }, says: 'The answer says the same as the reference.' }];
}

/** A row's value is data: a member that looks like an operator stands for itself. */
const escaped = (value: Json): Json => (JSON.stringify(value).includes('"$') ? { $literal: value } : value);

const tagsOf = (tags: Json): Json =>
  Array.isArray(tags)
    ? tags.map(String)
    : String(isObject(tags) ? JSON.stringify(tags) : tags).split(/\s*[,;]\s*/);

/** Ids of tasks are small letters, digits and hyphens. */
const slug = (id: string): string =>
  id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 120);

/** Ids that a suite can have: a second one of the same name gets `-2`. */
function createIds(): (id: string) => string {
  const used = new Map<string, number>();
  return (id) => {
    const count = (used.get(id) ?? 0) + 1;
    used.set(id, count);
    return count === 1 ? id : `${id}-${count}`;
  };
}
