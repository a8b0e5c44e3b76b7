import {
  defined,
  type EvalPlan,
  type EvalReport,
  HostError,
  judgesDiffer,
  judgesOfCommonDiffer,
  type Owner,
  type RunId,
  type TaskId,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import {
  type Baseline,
  createReport,
  type LabelDifferences,
  type MeasuredFacts,
  type SameTasks,
} from '../../scorecard/index.js';
import { ownerOfSuite } from '../catalogue/suite-catalogue.js';
import type { Annotations } from '../review/annotations.js';
import { comparisonIssues } from '../runs/baseline.js';
import { sharedTasks } from './common-tasks.js';
import { foldRuns, loadResults, type ResultsOf } from './fold-runs.js';
import { type Measurement, measurementOf, type ResultSource, reportedRun } from './run-measurement.js';

export type ReportParts = ResultSource & {
  readonly overridesOf: Annotations['overridesOf'];
  /** What labels of people make of the tasks of a run; absent where the error of the judge is not asked for. */
  readonly labelsOf?: (owner: Owner, runId: RunId) => Promise<LabelDifferences>;
};

export type ReportOptions = {
  /** Hold the run against this one instead of its own baseline. */
  readonly against?: RunId;
  readonly allowJudgeMismatch?: boolean;
  /** Compare the tasks that are the same in both suites, whatever else changed. */
  readonly common?: boolean;
  /** What a drop must exceed to count, instead of what the run was planned with. */
  readonly tolerance?: number;
};

/** The report of a completed eval run, folded anew from its committed results with every call. Reads no body. */
export async function readReport(
  parts: ReportParts,
  owner: Owner,
  runId: RunId,
  options: ReportOptions = {},
): Promise<EvalReport> {
  const { store } = parts;
  const { plan, thresholds, from } = await reportedRun(parts, owner, runId, options);
  const compared = await baselineOf(parts, owner, plan, from, options);
  const overrides = (await parts.overridesOf(owner, runId)).map((one) => ({
    ...one,
    at: timestampOf(one.at),
  }));
  const facts = { runId, plan, ...(thresholds && { thresholds }) };
  const kinds = await kindsOf(store, owner, plan, overrides);
  const kindOf = (taskId: TaskId) => kinds.get(taskId);
  const labels = await parts.labelsOf?.(owner, runId);
  const extras = { overrides, kindOf, ...defined({ baseline: compared?.baseline, labels }) };
  const { fold, sameTasks } = await foldRuns(parts.results, compared?.from, from, () =>
    createReport(facts, extras),
  );
  if (options.against !== undefined && compared) checkComparable(compared.baseline, plan, sameTasks, options);
  const report = fold.result();
  return thresholds ? { ...report, thresholds } : report;
}

/** Only what a correction is about has to be known by its kind: its bar may differ. */
async function kindsOf(
  store: Store,
  owner: Owner,
  { suite }: EvalPlan,
  overrides: readonly { readonly taskId: TaskId }[],
): Promise<ReadonlyMap<TaskId, 'golden' | 'rubric'>> {
  const kinds = new Map<TaskId, 'golden' | 'rubric'>();
  const holder = overrides.length > 0 ? await ownerOfSuite(store, owner, suite.digest) : undefined;
  for (const { taskId } of overrides) {
    if (!holder || kinds.has(taskId)) continue;
    const ordinal = await store.suites.ordinalOf(holder, suite.digest, taskId);
    const [task] = ordinal === undefined ? [] : await store.suites.tasks(holder, suite.digest, ordinal, 1);
    if (task) kinds.set(taskId, task.expected.kind);
  }
  return kinds;
}

type BaselineResults = { readonly baseline: Baseline & MeasuredFacts; readonly from: ResultsOf };

/** What the run is held against. Its own baseline has been checked at create; whether any other can be is not said here. */
export async function baselineOf(
  parts: ResultSource,
  owner: Owner,
  plan: EvalPlan,
  from: ResultsOf,
  { against, common: asked }: ReportOptions,
): Promise<BaselineResults | undefined> {
  const runId = against ?? plan.baselineRunId;
  if (runId === undefined) return undefined;
  const before = await measurementOf(parts, owner, runId, '/against');
  if (!before) throw new HostError('not_found', 'There is no such run to compare with.');
  const common = against === undefined ? plan.commonTasks : asked;
  const otherJudge = (common ? judgesOfCommonDiffer : judgesDiffer)(before.facts, plan);
  const shared = common && (await sharedWith(parts, owner, before, plan, from));
  const baseline = { ...before.facts, ...(otherJudge && { otherJudge: true }), ...(shared && { shared }) };
  return { baseline, from: before.from };
}

/** Which tasks both have is told by the suites, or by all results. */
const sharedWith = async (
  { store, results }: ResultSource,
  owner: Owner,
  { facts, from }: Measurement,
  { suite }: EvalPlan,
  after: ResultsOf,
) =>
  sharedTasks(
    store,
    owner,
    { ...facts, results: await loadResults(results, from) },
    { suite, results: await loadResults(results, after) },
  );

function checkComparable(
  before: Baseline & MeasuredFacts,
  plan: EvalPlan,
  sameTasks: SameTasks,
  { allowJudgeMismatch = false }: ReportOptions,
): void {
  // The tasks may differ when only those are compared that both suites share.
  const issues = comparisonIssues(before, plan, before.shared ? undefined : sameTasks);
  if (before.otherJudge && !allowJudgeMismatch)
    issues.push(
      'The two runs were scored by different judges, so a difference could be the judges’. Ask for the comparison all the same with allowJudgeMismatch.',
    );
  if (issues.length > 0) throw validationError(issues.map((message) => ({ pointer: '/against', message })));
}
