import type { Json, JsonObject } from '@touchstone/protocol';

/** A file that is imported, or that an imported one names. */
export type SourceFile = {
  /** As people know it: relative to where the command was typed. */
  readonly file: string;
  /** Absolute. */
  readonly path: string;
  readonly bytes: Buffer;
};

/** One value of a file with its places: the whole of it, a line of JSONL, a row of a table. */
export type SourceDocument = {
  readonly file: string;
  readonly value: Json;
  /** Of a part of a document: the whole, and where the part stands in it. */
  readonly within?: SourcePointer;
  /** The line and column of each pointer, or of its nearest ancestor that exists. */
  locate(pointers: readonly string[]): readonly Position[];
};

export type Position = { readonly line: number; readonly column: number };

/** Something in the source: what an item of the report is about. */
export type SourcePointer = { readonly document: SourceDocument; readonly pointer: string };

/** `lost`: nothing stands for it. `changed`: something does, and means something else. `note`: worth knowing. */
export type ItemSeverity = 'lost' | 'changed' | 'note';

/** What became of something in the source. Names types and members, never values. */
export type ImportItem = Position & {
  readonly severity: ItemSeverity;
  readonly file: string;
  readonly pointer: string;
  readonly what: string;
  readonly became?: string;
  readonly hint?: string;
  /** How often it counts when one place of the source holds for several tests. */
  readonly times?: number;
};

/** An entry of `expect` in a suite file: a sentence, or an object with a check. */
export type Expectation = string | JsonObject;

/** What an assertion of the source became, with its place. */
export type PlacedExpectation = {
  readonly at: SourcePointer;
  readonly entry: Expectation;
  /** How many assertions of the source it stands for, when not 1. */
  readonly count?: number;
};

/** An answer that the source has recorded, as a row of `run --answers` without its task. */
export type RecordedAnswer = {
  readonly output: Json;
  readonly toolCalls?: readonly JsonObject[];
  readonly latencyMs?: number;
  readonly usage?: readonly JsonObject[];
  readonly refused?: boolean;
};

/** A test of the source on its way to a task. */
export type ImportedTest = {
  readonly at: SourcePointer;
  /** What the source calls it. */
  readonly id?: string;
  readonly input: Json;
  readonly expect: readonly PlacedExpectation[];
  /** Assertions that became nothing. Each has an item already. */
  readonly lost: number;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly fixtures?: JsonObject;
  /** Its author has put it out of use: it is left out, and the reason is noted. */
  readonly unused?: string;
  readonly answer?: RecordedAnswer;
};

/** What an importer makes of its sources. */
export type ImportDraft = {
  readonly tests: readonly ImportedTest[];
  /** What the imported files say besides tests: `agents`, `providers`, `tools`, `scorers`. */
  readonly config?: JsonObject;
  /** Further files by their path below the target folder, such as `prompts/first.md`. */
  readonly files?: { readonly [path: string]: string };
  /** Further members of the suite, such as `thresholds`. */
  readonly suite?: JsonObject;
  /** What the report shows besides items, such as the grades of the source: a heading with its lines. */
  readonly details?: readonly { readonly heading: string; readonly lines: readonly string[] }[];
};

/** How much of the source is in the suite. What changed counts as carried over. */
export type ImportCounts = {
  readonly tests: { readonly all: number; readonly carried: number };
  readonly assertions: { readonly all: number; readonly carried: number };
  readonly lost: number;
  readonly changed: number;
};

/** What is written. */
export type ImportOutput = {
  readonly format: string;
  /** In the form that an author writes. */
  readonly suite: JsonObject;
  readonly config?: JsonObject;
  readonly files: { readonly [path: string]: string };
  readonly recorded: readonly (RecordedAnswer & { readonly taskId: string })[];
  readonly items: readonly ImportItem[];
  readonly counts: ImportCounts;
  readonly details: NonNullable<ImportDraft['details']>;
};

/** Options of the command that importers read. Each format says which ones it knows. */
export type ImportOptions = {
  readonly suiteId: string;
  /** `--map`: column or pointer by what it is. */
  readonly map?: { readonly [member: string]: string };
  readonly expect?: string;
  /** `--class` of OpenAI Evals. */
  readonly class?: string;
  /** `--eval` of OpenAI Evals. */
  readonly evaluation?: SourceFile;
  /** `--scorer` of Inspect datasets. */
  readonly scorer?: string;
  /** `--limit` and `--where` of traces. */
  readonly limit?: number;
  readonly where?: readonly string[];
};

export type ImportRequest = {
  readonly files: readonly SourceFile[];
  readonly options: ImportOptions;
  readonly items: ItemCollector;
  /** Files that a source names, by a path or a pattern relative to `from`; none when nothing is there. */
  open(path: string, from: SourceFile): readonly SourceFile[];
};

/** Collects what the report lists. The place is located when all is known. */
export type ItemCollector = {
  lost(at: SourcePointer, what: string, hint?: string): void;
  changed(at: SourcePointer, what: string, became: string, hint?: string): void;
  note(at: SourcePointer, what: string, hint?: string): void;
  items(): readonly ImportItem[];
};

export type Importer = (request: ImportRequest) => ImportDraft | Promise<ImportDraft>;

/** A format with what its files look like. */
export type ImportFormat = {
  readonly read: Importer;
  /** Whether a file has the shape. */
  readonly fits: (sample: Sample) => boolean;
  /** Options of the command that mean something here, beside those of every format. */
  readonly options: readonly (keyof ImportOptions)[];
};

/** As much of a file as tells its shape. */
export type Sample = {
  /** With the dot, in lower case. */
  readonly extension: string;
  readonly form: 'document' | 'rows' | 'binary';
  /** The document, or the first row; undefined when it cannot be read. */
  readonly value: Json | undefined;
};
