import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { HostError, type Json, type JsonObject, membersInText } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Suite } from '../ports/index.js';
import { compileSuite, type TaskNotes } from './authoring/authored-suite.js';
import { createListDigest } from './digest.js';
import { addFacts, headOf, type SuiteDocument, type SuiteReading, suiteIssues } from './parse-suite.js';
import { jsonPieces, NotPlain } from './text/json-items.js';
import { createRepeatedIds } from './text/repeated-ids.js';
import { keysIfSound } from './text/soundness.js';

/** A shorter file is quicker to read at once, and what a run of it needs is at hand then. */
const LONG_BYTES = 4 * 1024 * 1024;

/**
 * A long suite file, read a page at a time and not kept. Undefined for a file that cannot be read so, and for one in which
 * anything is wrong: then it is read as a whole, which also tells what is wrong with it. `shown` is its name in messages.
 */
export function readLongSuite(
  path: string,
  shown: string,
  readWhole: () => SuiteReading,
  longBytes = LONG_BYTES,
): SuiteReading | undefined {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry?.isFile() || entry.size < longBytes || !/\.json$/i.test(path)) return undefined;
  try {
    return readThrough(path, shown, readWhole);
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

function readThrough(path: string, shown: string, readWhole: () => SuiteReading): SuiteReading {
  const bytes = createHash('sha256');
  const notes = new Map<string, TaskNotes>();
  const tools = new Set<string>();
  const fold = createHeadFold();
  for (const page of pagesIn(path, (block) => bytes.update(block), readSound)) {
    for (const [taskId, note] of page.notes) notes.set(taskId, note);
    for (const tool of cannedIn(page.document.tasks)) tools.add(tool);
    fold.add(page.document);
  }
  const head = fold.end();
  const seen = bytes.digest('hex');
  const again = (): SuiteReading => {
    const whole = readWhole();
    if (whole.suite.head.digest !== head.digest) throw changedSince(shown);
    return whole;
  };
  return {
    suite: {
      head,
      get tasks() {
        return again().suite.tasks;
      },
      stream: { pages: () => pagesAgain(path, seen, shown), cannedTools: tools },
    },
    notes,
    sourceOf: (pointer) => again().sourceOf(pointer),
    lines: () => again().lines(),
  };
}

type SuitePage = { readonly document: SuiteDocument; readonly notes: ReadonlyMap<string, TaskNotes> };

/** Each page as a suite of its own: the head of the file, with some of its tasks. */
function* pagesIn(
  path: string,
  observe: (bytes: Buffer) => void,
  read: (text: string) => JsonObject,
): Generator<SuitePage> {
  let head: JsonObject = {};
  for (const { kind, text } of jsonPieces(path, 'tasks', observe)) {
    if (kind === 'head') head = read(`${text}"tasks":[]}`);
    else yield compilePage({ ...head, ...read(`{"tasks":[${text}]}`) });
  }
}

function readSound(text: string): JsonObject {
  const value = parsed(text);
  const keys = keysIfSound(value);
  if (keys === undefined || membersInText(text) !== keys) throw new NotPlain();
  return value;
}

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotPlain();
  }
}

/** What depends on all tasks at once, modes that are left out and rows of another file, is not for a page. */
function compilePage(value: JsonObject): SuitePage {
  if (value.modes === undefined || value.rows !== undefined) throw new NotPlain();
  const { document, notes, issues } = compileSuite(value);
  if (issues.length > 0) throw new NotPlain();
  return { document: document as SuiteDocument, notes };
}

/** Folds pages into the head of their suite, and refuses what a whole suite would be refused for. */
function createHeadFold() {
  const ids = createRepeatedIds();
  let first: SuiteDocument | undefined;
  let digest: ReturnType<typeof createListDigest> | undefined;
  let facts: ReturnType<typeof addFacts> | undefined;
  return {
    add(page: SuiteDocument): void {
      if (suiteIssues(page).length > 0) throw new NotPlain();
      const { tasks, ...head } = page;
      first ??= page;
      digest ??= createListDigest(head as unknown as JsonObject, 'tasks');
      digest.add(tasks as unknown as readonly Json[]);
      const judge = facts?.needs?.judge;
      facts = addFacts(facts, tasks);
      if (judge !== undefined && facts.needs?.judge !== judge) throw new NotPlain();
      for (const { taskId } of tasks) ids.add(taskId);
    },
    end(): Suite['head'] {
      if (!first || !digest || !facts || ids.mayRepeat()) throw new NotPlain();
      return headOf(first, facts, digest.end());
    },
  };
}

/** The same bytes were sound before; that they are the same is known at the end, before anything that is made of them counts. */
function* pagesAgain(path: string, seen: string, shown: string): Iterable<readonly Task[]> {
  const bytes = createHash('sha256');
  try {
    for (const { document } of pagesIn(path, (block) => bytes.update(block), parsed)) yield document.tasks;
  } catch (error) {
    throw error instanceof NotPlain ? changedSince(shown) : error;
  }
  if (bytes.digest('hex') !== seen) throw changedSince(shown);
}

const changedSince = (shown: string): HostError =>
  new HostError('conflict', `${shown} was written to while it was read. Run it again.`);

/** The tools that tasks of a suite have canned answers for. */
export const cannedTools = (suite: Suite): ReadonlySet<string> =>
  suite.stream?.cannedTools ?? new Set(cannedIn(suite.tasks));

const cannedIn = (tasks: readonly Task[]): readonly string[] =>
  tasks.flatMap(({ fixtures }) => (fixtures?.toolResponses ?? []).map(({ tool }) => tool as string));
