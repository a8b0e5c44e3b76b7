import { existsSync } from 'node:fs';
import { defined, isObject, parseJson } from '@touchstone/protocol';
import type { SuiteReading, TaskNotes } from '../../suites/index.js';
import { readText } from './local-files.js';

const META_VERSION = 1;

/** What is written beside a compiled suite: tags of its tasks, and the lines of the file that it was compiled from. */
export function metaText({ suite, notes, lines }: Omit<SuiteReading, 'sourceOf'>): string {
  const at = lines();
  const tasks = Object.fromEntries(
    suite.tasks.map(({ taskId }) => [
      taskId,
      defined({ tags: notes.get(taskId)?.tags, line: at.get(taskId) }),
    ]),
  );
  const meta = { metaVersion: META_VERSION, suiteSha256: sha256Of(suite.head.digest), tasks };
  return `${JSON.stringify(meta, null, 2)}\n`;
}

export type SuiteMeta = {
  readonly notes: ReadonlyMap<string, TaskNotes>;
  readonly lines: ReadonlyMap<string, number>;
};

/** The meta file beside a compiled suite; undefined when there is none, or it is of another suite. */
export function readMeta(suiteFile: string, digest: string): SuiteMeta | undefined {
  const path = `${suiteFile.replace(/(?:\.(?:suite|evals?))?\.json$/i, '')}.meta.json`;
  if (!suiteFile.endsWith('.json') || !existsSync(path)) return undefined;
  const meta = parseJson(readText(path, path));
  if (!isObject(meta) || meta.suiteSha256 !== sha256Of(digest) || !isObject(meta.tasks)) return undefined;
  const tasks = Object.entries(meta.tasks).flatMap(([taskId, task]) =>
    isObject(task) ? [{ taskId, task }] : [],
  );
  return {
    notes: new Map(tasks.flatMap(({ taskId, task: { tags } }) => (isTags(tags) ? [[taskId, { tags }]] : []))),
    lines: new Map(
      tasks.flatMap(({ taskId, task: { line } }) => (typeof line === 'number' ? [[taskId, line]] : [])),
    ),
  };
}

const sha256Of = (digest: string): string => digest.replace(/^sha256:/, '');

const isTags = (tags: unknown): tags is readonly string[] =>
  Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
