import type {
  HostCounts,
  MATRIX_KEPT,
  MATRIX_ORDERS,
  Matrix,
  RunId,
  SuiteTaskList,
  SuiteTaskView,
} from '@touchstone/protocol';
import { at, type Get, type Reading, VENDOR } from './calls.js';

/** Which runs a matrix is of: these, or the last ones of a suite. */
export type MatrixSubject =
  | {
      /** Completed eval runs, at most 20; the first one is the baseline. */
      readonly runs: readonly RunId[];
    }
  | {
      /** The id for all versions, or `<suiteId>@<version>` for one. */
      readonly suiteId: string;
      /** Only runs of this agent. */
      readonly agentId?: string;
      /** How many runs, at most 20; 20 when absent. */
      readonly last?: number;
    };
/** Which part of a matrix to read. */
export type MatrixQuery = MatrixSubject & {
  /** Which tasks are kept; all when absent. */
  readonly only?: (typeof MATRIX_KEPT)[number];
  /** How they are sorted; by `change` when runs are named, by `flaky` otherwise. */
  readonly order?: (typeof MATRIX_ORDERS)[number];
  /** How many of the tasks to skip; none when absent. */
  readonly offset?: number;
  /** The most tasks of one page, at most 500; 100 when absent. */
  readonly limit?: number;
};

/** Reads of many runs at once. */
export const matrixCalls = (get: Get) => ({
  /** How each task came out in several runs; without content. */
  matrix: (query: MatrixQuery, reading?: Reading): Promise<Matrix> => {
    const named = 'runs' in query ? { ...query, runs: query.runs.join(',') } : query;
    return get(`${VENDOR}/matrix`, reading, named);
  },
  /** How much waits for people, and how many runs are at work. */
  counts: (reading?: Reading): Promise<HostCounts> => get(`${VENDOR}/counts`, reading),
});

/** Which tasks of a suite to read. */
export type SuiteTaskQuery = {
  /** Only tasks whose id has this in it. */
  readonly id?: string;
  /** Only tasks that are scored like this. */
  readonly kind?: 'golden' | 'rubric';
  /** How many of the matching tasks to skip; none when absent. */
  readonly offset?: number;
  /** The most tasks of one page, at most 500; 100 when absent. */
  readonly limit?: number;
};

/** Reads of the tasks of a suite. `suiteRef` is `<suiteId>@<version>`, or the id for the highest version. */
export const suiteTaskCalls = (get: Get) => ({
  /** The tasks in the order of the suite; without content. */
  tasks: (suiteRef: string, query: SuiteTaskQuery = {}, reading?: Reading): Promise<SuiteTaskList> =>
    get(`${VENDOR}/suites/${at(suiteRef)}/tasks`, reading, query),
  /** One task as its author wrote it. */
  task: (suiteRef: string, taskId: string, reading?: Reading): Promise<SuiteTaskView> =>
    get(`${VENDOR}/suites/${at(suiteRef)}/tasks/${at(taskId)}`, reading),
});
