import type { PageFile, TaskRow } from '@touchstone/sdk/view';
import type { ExportedRun } from '../document.js';

/** Where the tasks of a run stand in their author's file. */
export type TaskLines = {
  /** The suite file, relative to the folder that the command works in. */
  readonly file: string;
  /** Line numbers from 1, by task id. */
  readonly lines: ReadonlyMap<string, number>;
};

/** A run that goes into a file, with every repeat of every task. */
export type FileRun = {
  readonly run: ExportedRun;
  readonly rows: readonly TaskRow[];
  /** Absent when the suite file is not at hand, or has changed since. */
  readonly places?: TaskLines;
};

/** A text to put into a page, and what its policy lets it in by. */
export type PagePart = { readonly text: string; readonly sha256: string };

export type FileOptions = {
  /** Of the program that writes the file. */
  readonly version: string;
  /** What the page in one file is made of; absent when no such file is written. */
  readonly page?: { readonly style: PagePart; readonly script: PagePart; readonly data: PageFile };
};

/** Writes runs as one text. What content it may hold is decided by the rows. */
export type FileExporter = (runs: readonly FileRun[], options: FileOptions) => string;
