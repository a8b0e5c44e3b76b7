import type { Matrix, MatrixCell, TaskId } from '@touchstone/protocol';
import { type MatrixColumn, type MatrixPart, matrixRows, outcomeOf } from '@touchstone/protocol/tasks';
import type { PageFile, RunInFile } from '@touchstone/sdk/view';
import { numberIn } from './question.js';

/** Some of the runs of the file side by side. */
export function matrixOf({ matrix, runs }: PageFile, query: URLSearchParams): Matrix | undefined {
  const asked = (query.get('runs') ?? '').split(',');
  const columns = asked.flatMap((runId) => runs.find(({ snapshot }) => snapshot.runId === runId) ?? []);
  const heads = asked.flatMap((runId) => matrix?.runs.find((run) => run.runId === runId) ?? []);
  if (!matrix || heads.length < asked.length || columns.length < asked.length) return undefined;
  const part = {
    only: (query.get('only') ?? 'all') as MatrixPart['only'],
    order: (query.get('order') ?? 'change') as MatrixPart['order'],
    offset: numberIn(query, 'offset', 0),
    limit: numberIn(query, 'limit', 100),
  };
  return { ...matrix, runs: heads, ...matrixRows(columns.map(columnOf), part) };
}

const LETTERS = { passed: 'p', failed: 'f', unscored: 'u' } as const;

function columnOf({ tasks }: RunInFile): MatrixColumn {
  const cells = new Map<TaskId, MatrixCell>(
    tasks.map(({ result }) => [
      result.taskId,
      [result.unscored ? 0 : result.score, LETTERS[outcomeOf(result)]],
    ]),
  );
  return { taskIds: () => cells.keys(), cellOf: (taskId) => cells.get(taskId) ?? [0, '-'] };
}
