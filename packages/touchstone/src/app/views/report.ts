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
  type TaskResult,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import {
  buildReport,
  type LabelDifferences,
  type MeasuredResults,
  type ReportExtras,
} from '../../scorecard/index.js';
import { ownerOfSuite } from '../catalogue/suite-catalogue.js';
import type { Annotations } from '../review/annotations.js';
import { comparisonIssues } from '../runs/baseline.js';
import { sharedTasks } from './common-tasks.js';
import { measuredRun, type ResultSource, reportedRun } from './run-measurement.js';

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
  const { plan, thresholds, results } = await reportedRun(parts, owner, runId, options);
  const baseline = await baselineOf(parts, owner, plan, results, options);
  const overrides = (await parts.overridesOf(owner, runId)).map((one) => ({
    ...one,
    at: timestampOf(one.at),
  }));
  const facts = { runId, plan, ...(thresholds && { thresholds }) };
  const kinds = await kindsOf(store, owner, plan, overrides);
  const kindOf = (taskId: TaskId) => kinds.get(taskId);
  const labels = await parts.labelsOf?.(owner, runId);
  const extras = { overrides, kindOf, ...defined({ baseline, labels }) };
  const report = buildReport(facts, results, extras);
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

/** What the run is held against: its own baseline has been checked at create, any other is checked here. */
export async function baselineOf(
  parts: ResultSource,
  owner: Owner,
  plan: EvalPlan,
  results: readonly TaskResult[],
  options: ReportOptions,
): Promise<ReportExtras['baseline']> {
  const { against, allowJudgeMismatch = false } = options;
  const runId = against ?? plan.baselineRunId;
  if (runId === undefined) return undefined;
  const before = await measuredRun(parts, owner, runId, '/against');
  if (!before) throw new HostError('not_found', 'There is no such run to compare with.');
  const common = against === undefined ? plan.commonTasks : options.common;
  const otherJudge = (common ? judgesOfCommonDiffer : judgesDiffer)(before, plan);
  const shared = common && (await sharedTasks(parts.store, owner, before, { suite: plan.suite, results }));
  if (against !== undefined)
    checkComparable(before, plan, shared ? undefined : results, otherJudge && !allowJudgeMismatch);
  return { ...before, ...(otherJudge && { otherJudge: true }), ...(shared && { shared }) };
}

/** `results` are absent when only the tasks that both suites share are compared. */
function checkComparable(
  before: MeasuredResults,
  plan: EvalPlan,
  results: readonly TaskResult[] | undefined,
  otherJudge: boolean,
): void {
  const sameTasks =
    results &&
    before.results.length === results.length &&
    before.results.every(({ taskId }, at) => taskId === results[at]?.taskId);
  const issues = comparisonIssues(before, plan, sameTasks);
  if (otherJudge)
    issues.push(
      'The two runs were scored by different judges, so a difference could be the judges’. Ask for the comparison all the same with allowJudgeMismatch.',
    );
  if (issues.length > 0) throw validationError(issues.map((message) => ({ pointer: '/against', message })));
}
