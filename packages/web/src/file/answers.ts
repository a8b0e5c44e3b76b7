import { facetsOf } from '@touchstone/protocol/tasks';
import type { PageFile, RunInFile } from '@touchstone/sdk/view';
import { contentAnswers } from './content-answers.js';
import { matrixOf } from './matrix.js';
import { type Answers, LEFT_OUT, runOf } from './question.js';
import { filterOf, rowsOf, tasksOf } from './task-lists.js';

// What a host would answer, made of the data of a file. Filters, orders and counts are the host's own code.

export type FileAnswer = { readonly status: number; readonly answer: unknown };
type FileQuestion = {
  /** Which of the things that can be asked. */
  readonly part: string;
  readonly runId: string;
  readonly taskId: string;
  readonly query: URLSearchParams;
};

export function answerFrom(file: PageFile, { part, runId, taskId, query }: FileQuestion): FileAnswer {
  if (part === 'runs') return found({ items: file.runs.map(({ snapshot }) => snapshot) });
  if (part === 'matrix') return found(matrixOf(file, query));
  const run = runOf(file, runId);
  if (!run) return found(undefined);
  if (part === 'report') return reportOf(run, query);
  return found({ ...answersOf(file), ...contentAnswers(file) }[part]?.({ run, query, taskId }));
}

export const NOT_IN_FILE = { error: 'not_found', message: 'This is not in the file.' };

function found(answer: unknown = NOT_IN_FILE): FileAnswer {
  return { status: answer === NOT_IN_FILE || answer === LEFT_OUT ? 404 : 200, answer };
}

const answersOf = (file: PageFile): Answers => ({
  run: ({ run }) => run.snapshot,
  'contract-report': ({ run }) => run.contract,
  tasks: (question) => tasksOf(file, question, filterOf(question.query)),
  facets: ({ run, query }) => {
    const rows = rowsOf(file, run, query);
    return rows && facetsOf(rows, filterOf(query));
  },
});

function reportOf({ report, against, snapshot }: RunInFile, query: URLSearchParams): FileAnswer {
  const other = query.get('against');
  if (other === null || other === snapshot.touchstone.baselineRunId) return found(report);
  // What else may be asked of a comparison was not asked when the file was written.
  const recorded = query.size > 1 ? undefined : against[other];
  if (recorded && 'refusal' in recorded) return { status: recorded.status, answer: recorded.refusal };
  return found(recorded?.report);
}
