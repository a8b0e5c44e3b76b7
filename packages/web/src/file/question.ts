import type { PageFile, RunInFile } from '@touchstone/sdk/view';

export type Question = { readonly run: RunInFile; readonly query: URLSearchParams; readonly taskId: string };
/** Undefined when the file does not have it. */
export type Answers = { readonly [part: string]: (question: Question) => unknown };

export const runOf = (file: PageFile, runId: string): RunInFile | undefined =>
  file.runs.find(({ snapshot }) => snapshot.runId === runId);

export const numberIn = (query: URLSearchParams, name: string, usual: number): number =>
  Number(query.get(name) ?? usual);
