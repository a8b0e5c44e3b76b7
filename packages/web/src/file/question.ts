import type { PageFile, RunInFile } from '@touchstone/sdk/view';

export type Question = { readonly run: RunInFile; readonly query: URLSearchParams; readonly taskId: string };
/** Undefined when the file does not have it. */
export type Answers = { readonly [part: string]: (question: Question) => unknown };

/** Said of what the run has and the file has no room for. */
export const LEFT_OUT = {
  error: 'left_out',
  message:
    'The file has no room for the events of this task. Those of tasks that did not pass come first; touchstone view has all.',
};

export const runOf = (file: PageFile, runId: string): RunInFile | undefined =>
  file.runs.find(({ snapshot }) => snapshot.runId === runId);

export const numberIn = (query: URLSearchParams, name: string, usual: number): number =>
  Number(query.get(name) ?? usual);
