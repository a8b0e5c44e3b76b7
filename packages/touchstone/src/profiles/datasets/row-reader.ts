import { defined, type Issue, validationError } from '@touchstone/protocol';
import { keysIfSound, soundnessIssues } from '../../suites/index.js';
import type { NormalRow, ProfileWarning } from '../types.js';
import type { RawRow } from './formats/jsonl.js';
import { normaliseRow, type RowNote } from './normal-row.js';

const MAX_ISSUES = 20;
const MAX_WARNINGS = 50;

type Locate = (issues: readonly Issue[]) => readonly Issue[];

const asTheyAre: Locate = (issues) => issues;

/** Turns rows into normal rows, and collects what is wrong with them and what their author should know. */
export class RowReader {
  rows = 0;
  /** Of a file that is one value: the pointer of its list of rows. */
  list = '';
  private taken = 0;
  private locateAll = asTheyAre;
  private readonly issues: Issue[] = [];
  private readonly notes = new Map<string, ProfileWarning>();

  take(raw: RawRow, cells: boolean): NormalRow | undefined {
    const pointer = `${this.list}/${this.taken}`;
    this.taken += 1;
    if (raw.issues.length > 0) return this.refuse(pointer, raw.issues);
    const { row, issues, notes } = normaliseRow(raw.value, { at: raw.at, cells });
    for (const note of notes) this.note(note, raw);
    if (!row) return this.refuse(pointer, raw.locate(issues));
    this.rows += 1;
    return row;
  }

  /** Rows of one value. `locate` finds their lines once something is known to be wrong. */
  *takeList(values: readonly unknown[], pointer: string, locate: Locate): Generator<NormalRow> {
    this.list = pointer;
    this.locateAll = locate;
    for (const [index, value] of values.entries()) {
      const row = this.take({ at: index + 1, value, issues: [], locate: asTheyAre }, false);
      if (row) yield row;
    }
  }

  /** Throws the issues, if there are any. */
  check(): void {
    if (this.issues.length > 0) throw invalidRows(this.locateAll(this.issues));
  }

  warnings(): readonly ProfileWarning[] {
    return [...this.notes.values()];
  }

  private refuse(pointer: string, issues: readonly Issue[]): undefined {
    this.issues.push(...below(pointer, issues.slice(0, MAX_ISSUES - this.issues.length)));
    if (this.issues.length >= MAX_ISSUES) this.check();
    return undefined;
  }

  private note({ code, about, message }: RowNote, raw: RawRow): void {
    const key = `${code} ${about}`;
    if (this.notes.size >= MAX_WARNINGS || this.notes.has(key)) return;
    const line = raw.locate([{ pointer: '', message }])[0]?.line;
    this.notes.set(key, defined({ code, message, line }));
  }
}

const below = (pointer: string, issues: readonly Issue[]): readonly Issue[] =>
  issues.map((issue) => ({ ...issue, pointer: `${pointer}${issue.pointer}` }));

const invalidRows = (issues: readonly Issue[]): Error => validationError(issues, { code: 'invalid_rows' });

/** Rows that a caller hands over instead of a file. `pointer` is where they stand in the request. */
export function normaliseRows(
  values: readonly unknown[],
  pointer = '',
): { readonly rows: readonly NormalRow[]; readonly warnings: readonly ProfileWarning[] } {
  if (keysIfSound(values) === undefined) throw invalidRows(below(pointer, soundnessIssues(values)));
  const reader = new RowReader();
  const rows = [...reader.takeList(values, pointer, asTheyAre)];
  reader.check();
  return { rows, warnings: reader.warnings() };
}
