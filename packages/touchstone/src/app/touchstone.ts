import type {
  ChannelName,
  CompareRuns,
  CompileProfile,
  ContractReport,
  Digest,
  EvalPlan,
  EvalReport,
  ForkRun,
  HostCounts,
  Issue,
  JudgeComparison,
  LookAtRuns,
  LooksReport,
  Matrix,
  Owner,
  Principal,
  RunComparison,
  RunId,
  RunPreview,
  Scorecard,
  SuiteHistory,
  TaskEvents,
  TaskId,
  Thresholds,
} from '@touchstone/protocol';
import type { DebugBundleWire, RunDiffResponseWire } from '@touchstone/protocol/wire';
import type { HostTools } from '../agents/index.js';
import type { Names } from '../net/index.js';
import type { CreationId, Engine, Page, Run, RunOrigin, Store, Suite, ThreadShares } from '../ports/index.js';
import type { AgentCatalogue } from './catalogue/agent-catalogue.js';
import type { CompiledDefinition } from './catalogue/compile-definition.js';
import type { PackCatalogue } from './catalogue/pack-catalogue.js';
import type { PackWithdrawals } from './catalogue/pack-withdrawals.js';
import type { SuiteCatalogue } from './catalogue/suite-catalogue.js';
import type { Checkpoints } from './deployments/checkpoints.js';
import type { Deployments } from './deployments/deployments.js';
import type { JudgeCalibrations } from './judges/calibrations.js';
import type { JudgeCatalogue } from './judges/judge-catalogue.js';
import type { LimitCounts } from './limit-counts.js';
import type { Refusals } from './refusals.js';
import type { Retention } from './retention/retention.js';
import type { Annotations } from './review/annotations.js';
import type { Blessings } from './review/blessings.js';
import type { Reviews } from './review/reviews.js';
import type { CreateRunBody } from './runs/plan-run.js';
import type { JudgeRequest } from './runs/rejudge.js';
import type { CountedStoreTimes } from './store-times.js';
import type { HistoryRequest } from './views/history.js';
import type { MatrixRequest } from './views/outcomes/matrix.js';
import type { ReportOptions } from './views/report.js';
import type { Results } from './views/results.js';
import type { RunListQuery } from './views/run-list.js';
import type { TaskPage } from './views/task-page.js';
import type { TaskView } from './views/task-view.js';
import type { EvalRun } from './views/tasks/task-table.js';
import type { TaskTexts } from './views/tasks/task-texts.js';
import type { Tasks } from './views/tasks/tasks.js';

/** How a run is created, of whichever kind it is. */
export type CreationOptions = {
  readonly origin?: RunOrigin;
  /** False when the caller drives it. */
  readonly start?: boolean;
  /** Of a request that may be repeated: the run that an earlier attempt has created is answered, and no other is created. */
  readonly creationId?: CreationId | undefined;
};

/**
 * The use cases of a host, without HTTP. Operations are thin readers of it; `compose.ts` is the only place that builds it.
 */
export type Touchstone = {
  readonly store: Store;
  readonly engine: Engine;
  /** The time of this process's main thread, by tenant. */
  readonly shares: ThreadShares;
  readonly limitCounts: LimitCounts;
  /** How long the store takes; of a process that others can scrape. */
  readonly storeTimes?: Pick<CountedStoreTimes, 'render'> | undefined;
  readonly names: Names;
  readonly refusals: Pick<Refusals, 'take'>;
  readonly suites: SuiteCatalogue;
  /** A suite of so many bytes, as a caller sends it. Refuses what is no suite. */
  readSuite(owner: Owner, value: unknown, bytes: number): Promise<Suite>;
  /** What keeps the checks of a suite from being run, by pointers inside the suite. */
  suiteIssues(owner: Owner, suite: Suite): Promise<readonly Issue[]>;
  readonly agents: Pick<AgentCatalogue, 'bind' | 'list' | 'find'>;
  readonly packs: Pick<PackCatalogue, 'install' | 'list'> & PackWithdrawals;
  readonly tools: Pick<HostTools, 'catalogue' | 'find'>;
  /** Resolves, checks and stores a run; the engine is already driving it when this returns. Refusals create nothing. */
  createRun(
    principal: Principal,
    body: CreateRunBody,
    options?: CreationOptions & {
      readonly exclusiveScope?: boolean;
      /** The channel that led to the version which the body names. */
      readonly channel?: ChannelName;
      /** For a suite from a file: the contract beside it, or none. Otherwise the one that is installed with it counts. */
      readonly contract?: Digest | 'none';
      /** Only for test seams: what the run is called, and that it may be of a workflow that is theirs. */
      readonly seamRunId?: RunId;
    },
  ): Promise<Run>;
  /** What a run would do. Refuses what `createRun` would refuse, and keeps nothing. */
  previewRun(owner: Owner, body: CreateRunBody): Promise<RunPreview>;
  /**
   * A new run in which another judge, or the same one again, judges the recorded answers of a completed one: no agent and
   * no tool is asked. The engine is already driving it when this returns. Refusals create nothing.
   */
  rejudge(principal: Principal, runId: RunId, wish: JudgeRequest, options?: CreationOptions): Promise<Run>;
  /** A run that begins with the history of another one: all of it again, or up to a point. Refusals create nothing. */
  fork(principal: Principal, runId: RunId, body: ForkRun, options?: CreationOptions): Promise<Run>;
  /** What differs between the logs of two runs of an owner. */
  diff(owner: Owner, a: RunId, b: RunId): Promise<RunDiffResponseWire>;
  /** A run in one file, to send to another person. */
  debugBundle(owner: Owner, runId: RunId, signal?: AbortSignal): Promise<DebugBundleWire>;
  readonly annotations: Annotations;
  viewTask(owner: Owner, runId: RunId, taskId: TaskId, fromRepeat?: number): Promise<TaskView | undefined>;
  /** The tasks at these places of the suite, as many as fit one answer. */
  viewTasks(run: Run & { readonly plan: EvalPlan }, ordinals: readonly number[]): Promise<TaskPage>;
  /** What happened in one task, as much as fits one answer, and when its calls were made. */
  taskEvents(run: EvalRun, taskId: TaskId, cursor?: number): Promise<TaskEvents>;
  /** Ids of tasks whose input, answer or expected value has a text in it. */
  readonly taskTexts: TaskTexts;
  /** The tasks of eval runs as lists, without content. */
  readonly tasks: Tasks;
  /** What people look at, and what their decisions show of judges. */
  readonly reviews: Reviews;
  /** Portable judges that can be named. */
  readonly judges: JudgeCatalogue;
  /** What people's labels show of the judge of a run; undefined when the run had none. */
  calibrationOf: JudgeCalibrations['of'];
  /** Of a completed eval run; any other, and one that is not the owner's, is refused. */
  report(owner: Owner, runId: RunId, options?: ReportOptions): Promise<EvalReport>;
  /** Compiles the test contract that an agent definition carries, and installs it when that is wished. */
  compileDefinition(owner: Owner, wish: CompileProfile): Promise<CompiledDefinition>;
  /** Of a completed eval run whose suite has a contract. */
  contractReport(owner: Owner, runId: RunId): Promise<ContractReport>;
  readonly deployments: Deployments;
  readonly checkpoints: Checkpoints;
  readonly results: Results;
  /** Of the suite that an eval run is pinned to; undefined for any other run. */
  thresholdsOf(run: Run): Promise<Thresholds | undefined>;
  /** Two completed runs of an owner, task by task. The configured tolerance counts where the request has none. */
  compareRuns(owner: Owner, request: CompareRuns): Promise<RunComparison>;
  /** What is known after each round of one evaluation, at every look at once. */
  looks(owner: Owner, request: LookAtRuns): Promise<LooksReport>;
  /** What two judges made of the same recorded answers. */
  compareJudges(owner: Owner, before: RunId, after: RunId): Promise<JudgeComparison>;
  /** The completed runs of a suite over time. */
  history(owner: Owner, request: HistoryRequest): Promise<SuiteHistory>;
  /** Runs of an owner, newest first, with the figures that lists show. */
  listRuns(owner: Owner, query: RunListQuery): Promise<Page<Run>>;
  /** Tasks by runs: how each came out. */
  matrix(owner: Owner, request: MatrixRequest): Promise<Matrix>;
  /** What waits and what runs, for the badges of a page. */
  counts(owner: Owner): Promise<HostCounts>;
  readonly blessings: Blessings;
  readonly retention: Retention;
  /** Of a completed eval run: what of it can travel. Of a run elsewhere, the scorecard that was kept from a file. */
  scorecard(owner: Owner, runId: RunId): Promise<Scorecard>;
  close(): Promise<void>;
};
