import { type Issue, validationError } from '@touchstone/protocol';
import type { NormalRow, ProfileWarning } from '../types.js';
import type { RawRow } from './formats/raw-row.js';
import { normaliseRow, type RowNote } from './normal-row.js';

const MAX_ISSUES = 20;
const MAX_WARNINGS = 50;

type Locate = (issues: readonly Issue[]) => readonly Issue[];

/** Turns rows into normal rows, and keeps the account of what was wrong with them and what is worth telling. */
export class RowReader {
  rows = 0;
  private taken = 0;
  private pointer = '';
  private locateAll: Locate = (issues) => issues;
  private readonly issues: Issue[] = [];
  private readonly notes = new Map<string, ProfileWarning>();

  /** For a file that is one value: where its list is, and how to find the lines once something is known to be wrong. */
  place(pointer: string, locate: Locate): void {
    this.pointer = pointer;
    this.locateAll = locate;
  }

  /** Where the list is, of a file that is one value. */
  get list(): string {
    return this.pointer;
  }

  take(raw: RawRow, cells: boolean): NormalRow | undefined {
    const pointer = `${this.pointer}/${this.taken}`;
    this.taken += 1;
    if (raw.faults.length > 0) return this.refuse(pointer, raw.faults);
    const { row, issues, notes } = normaliseRow(raw.value, { at: raw.at, cells });
    for (const note of notes) this.note(note, raw);
    if (!row) return this.refuse(pointer, raw.locate(issues));
    this.rows += 1;
    return row;
  }

  /** Throws what was found, if anything was. */
  check(): void {
    if (this.issues.length > 0) throw validationError(this.locateAll(this.issues), { code: 'invalid_rows' });
  }

  warnings(): readonly ProfileWarning[] {
    return [...this.notes.values()];
  }

  private refuse(pointer: string, issues: readonly Issue[]): undefined {
    for (const issue of issues.slice(0, MAX_ISSUES - this.issues.length))
      this.issues.push({ ...issue, pointer: `${pointer}${issue.pointer}` });
    if (this.issues.length >= MAX_ISSUES) this.check();
    return undefined;
  }

  private note({ code, about, message }: RowNote, raw: RawRow): void {
    const key = `${code} ${about}`;
    if (this.notes.size >= MAX_WARNINGS || this.notes.has(key)) return;
    const line = raw.locate([{ pointer: '', message }])[0]?.line;
    this.notes.set(key, { code, message, ...(line !== undefined && { line }) });
  }
}
