import type { JsonObject } from '@touchstone/protocol';
import { facetsOf } from '@touchstone/protocol/tasks';
import type { PageFile, RunInFile } from '@touchstone/sdk/view';
import { contentAnswers } from './content-answers.js';
import { matrixOf } from './matrix.js';
import { type Answers, LEFT_OUT, runOf } from './question.js';
import { filterOf, rowsOf, tasksOf } from './task-lists.js';

// What a host would answer, made of the data of a file. Filters, orders and counts are the host's own code.

export type FileAnswer = { readonly status: number; readonly answer: unknown };
const RUN = /^\/v1\/(?:host\/touchstone\/)?runs\/([^/:]+)(?:\/tasks\/([^/]+))?(?:[/](events\/poll|[^/]+))?$/;

export function answerFrom(file: PageFile, url: URL, body?: string): FileAnswer {
  const { pathname, searchParams: query } = url;
  if (pathname.endsWith('/touchstone/runs'))
    return found({ items: file.runs.map(({ snapshot }) => snapshot) });
  if (pathname.endsWith('/touchstone/matrix')) return found(matrixOf(file, query));
  const [, runId, taskId, part = ''] = RUN.exec(pathname) ?? [];
  const run = runOf(file, decodeURIComponent(runId ?? ''));
  if (!run) return found(undefined);
  const name = taskId === undefined ? part : `task ${part}`.trim();
  if (name === 'report') return reportOf(run, query);
  const asked = body === undefined ? query : searchOf(body);
  const answer = { ...answersOf(file), ...contentAnswers(file) }[name];
  return found(answer?.({ run, query: asked, taskId: decodeURIComponent(taskId ?? '') }));
}

const NOT_FOUND = { error: 'not_found', message: 'This is not in the file.' };

function found(answer: unknown = NOT_FOUND): FileAnswer {
  return { status: answer === NOT_FOUND || answer === LEFT_OUT ? 404 : 200, answer };
}

/** The body of a search as a list is asked for. */
function searchOf(body: string): URLSearchParams {
  const { text, filters } = JSON.parse(body) as { readonly text: string; readonly filters?: JsonObject };
  const query = new URLSearchParams(
    Object.entries(filters ?? {}).map(([name, value]) => [name, String(value)]),
  );
  query.set('text', text);
  return query;
}

const answersOf = (file: PageFile): Answers => ({
  '': ({ run }) => run.snapshot,
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
