import type {
  ContractReport,
  CreatedRun,
  EvalReport,
  Page,
  RejudgeRun,
  RunId,
  RunPreview,
  Scorecard,
  SummaryTotals,
  TaskBodies,
  TaskFacets,
  TaskList,
} from '@touchstone/protocol';
import { runPath } from '../stream.js';
import type { Transport } from '../transport.js';
import type {
  CreateRun,
  ReportQuestion,
  RunFilter,
  RunSnapshot,
  StepResult,
  StepTask,
  TaskFilter,
  TaskListQuery,
} from '../types.js';
import { at, type Get, type PageQuery, post, type Reading, type Sending, VENDOR } from './calls.js';
import { comparisonCalls } from './comparison-calls.js';
import { controlCalls } from './control-calls.js';
import { historyCalls } from './history-calls.js';
import { removalCalls } from './removal-calls.js';
import { taskCalls } from './task-calls.js';

/** A page of results. */
type ResultsQuery = PageQuery & {
  /** Only those of tasks that did not pass: that failed, or have no score. */
  readonly outcome?: 'not-passed';
};

/** Calls on runs. */
export function runCalls(transport: Transport, get: Get) {
  return {
    /**
     * Creates a run and answers at once; follow it with `streamEvents`. Refused with `validation_error` when suite,
     * agent and options do not fit together.
     */
    create: (body: CreateRun, sending?: Sending): Promise<CreatedRun> =>
      post(transport, '/v1/runs', body, sending),
    /** Where a run stands: status, times, error, and the facts that a Touchstone host adds. */
    get: (runId: RunId, reading?: Reading): Promise<RunSnapshot> => get(runPath(runId), reading),
    /** The runs of the caller's tenant and workspace, newest first. */
    list: (filter: RunFilter = {}, reading?: Reading): Promise<Page<RunSnapshot>> =>
      get(`${VENDOR}/runs`, reading, filter),
    /**
     * How certain the score of a completed eval run is, what it is made of, and how it compares with its baseline or
     * with the run in `against`.
     */
    report: (
      runId: RunId,
      { against, common, allowJudgeMismatch, ...reading }: ReportQuestion & Reading = {},
    ): Promise<EvalReport> =>
      get(`${VENDOR}/runs/${at(runId)}/report`, reading, {
        against,
        common: common === undefined ? undefined : String(common),
        allowJudgeMismatch: allowJudgeMismatch === undefined ? undefined : String(allowJudgeMismatch),
      }),
    /**
     * Whether a completed eval run kept the contract of its suite, criterion by criterion. Refused with `not_found`
     * when the suite has none.
     */
    contractReport: (runId: RunId, reading?: Reading): Promise<ContractReport> =>
      get(`${VENDOR}/runs/${at(runId)}/contract-report`, reading),
    /** The scorecard of a completed eval run without its list of tasks, which `results` tells page by page. */
    summaryTotals: (runId: RunId, reading?: Reading): Promise<SummaryTotals> =>
      get(`${VENDOR}/runs/${at(runId)}/summary-totals`, reading),
    /**
     * The content-free results of a run, in the order of its log; also of a run that goes on. `readResults` reads all
     * pages. Those of tasks that did not pass can be read alone.
     */
    results: (runId: RunId, page: ResultsQuery = {}, reading?: Reading): Promise<Page<StepResult>> =>
      get(`${VENDOR}/runs/${at(runId)}/results`, reading, page),
    /** What a run would do. Refused as `create` would be; creates nothing. */
    preview: (body: CreateRun, reading?: Reading): Promise<RunPreview> =>
      transport.json({ method: 'POST', path: `${VENDOR}/runs:preview`, body, readOnly: true, ...reading }),
    /**
     * The tasks of a run with their content, in the order of its log; also of a run that goes on. A page ends by
     * bytes, and a task with long answers has the first of its repeats only: `client.task` reads the rest.
     */
    taskViews: (runId: RunId, page: PageQuery = {}, reading?: Reading): Promise<Page<StepTask>> =>
      get(`${VENDOR}/runs/${at(runId)}/task-views`, reading, page),
    /**
     * The tasks of a run that have ended, filtered and sorted by the host; also of a run that goes on. Without content.
     */
    tasks: (runId: RunId, query: TaskListQuery = {}, reading?: Reading): Promise<TaskList> =>
      get(`${VENDOR}/runs/${at(runId)}/tasks`, reading, query),
    /** Input, expected value and answer of up to 50 tasks, each cut to `chars` characters (400 when absent). Content. */
    bodies: (
      runId: RunId,
      tasks: readonly string[],
      { chars, ...reading }: { readonly chars?: number } & Reading = {},
    ): Promise<TaskBodies> =>
      get(`${VENDOR}/runs/${at(runId)}/bodies`, reading, { tasks: tasks.join(','), chars }),
    ...taskCalls(transport, get),
    /** How the tasks of a run fall apart: counts and histograms. Each part ignores the filter by that part. */
    facets: (runId: RunId, filter: TaskFilter = {}, reading?: Reading): Promise<TaskFacets> =>
      get(`${VENDOR}/runs/${at(runId)}/facets`, reading, filter),
    ...comparisonCalls(transport),
    /**
     * Everything about a completed eval run that can be signed and sent to others: scores, ids and digests, no
     * content.
     */
    scorecard: (runId: RunId, reading?: Reading): Promise<Scorecard> =>
      get(`${VENDOR}/runs/${at(runId)}/scorecard`, reading),
    /** Creates a run that has the recorded answers of a completed run judged again. No agent is invoked. */
    rejudge: (runId: RunId, body: RejudgeRun = {}, sending?: Sending): Promise<CreatedRun> =>
      post(transport, `${VENDOR}/runs/${at(runId)}:rejudge`, body, sending),
    ...historyCalls(transport, get),
    ...removalCalls(transport),
    ...controlCalls(transport),
  };
}
