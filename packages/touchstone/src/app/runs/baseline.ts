import {
  type EvalPlan,
  type HostError,
  type Issue,
  jsonEqual,
  judgesDiffer,
  measuresFor,
  type Owner,
  plannedSteps,
  type RunId,
  type Scorecard,
  scorersDiffer,
  usersDiffer,
  validationError,
} from '@touchstone/protocol';
import type { Store } from '../../ports/index.js';
import type { SharedTasks } from '../../scorecard/index.js';
import { ownerOfSuite } from '../catalogue/suite-catalogue.js';
import { sharedTasks } from '../views/common-tasks.js';

/** What two runs must share to be compared. */
export type Comparable = Pick<
  EvalPlan,
  | 'suite'
  | 'repeats'
  | 'judge'
  | 'safetyJudge'
  | 'safetyPolicy'
  | 'contract'
  | 'embedder'
  | 'scorers'
  | 'simulatedUser'
>;
type BaselinePins = Pick<EvalPlan, 'commonTasks' | 'baselineImported' | 'tolerance' | 'judgeMismatchAllowed'>;

const POINTER = '/configurable/baselineRunId';

/** Decides whether a run may be compared with the baseline it names. Refuses with everything that speaks against it. */
export async function pinBaseline(
  store: Store,
  owner: Owner,
  plan: EvalPlan & { readonly baselineRunId: RunId },
  configurable: { readonly [key: string]: unknown },
  defaultTolerance: number,
): Promise<BaselinePins> {
  const before = await findBaseline(store, owner, plan.baselineRunId);
  const common = configurable.commonTasks === true;
  const shared = await sharedTasks(store, owner, sourceOf(before), plan);
  const sameTasks = common && shared ? undefined : await selectsSameTasks(store, owner, before, plan);
  const allowed = configurable.allowJudgeMismatch;
  const { measured } = before;
  const [then, now] = common ? [measuresFor(measured, plan), measuresFor(plan, measured)] : [measured, plan];
  const otherJudge = judgesDiffer(then, now);
  const issues: Issue[] = [
    ...(common && !shared ? [{ pointer: POINTER, message: NO_DIGESTS }] : []),
    ...comparisonIssues(measured, plan, sameTasks).map((message) => ({ pointer: POINTER, message })),
    ...flagIssues(allowed),
    ...(otherJudge && allowed !== true ? [{ pointer: POINTER, message: otherMeasure(then, now) }] : []),
  ];
  const tolerance = readTolerance(configurable.regression, issues) ?? defaultTolerance;
  const isOtherSelection = sameTasks === false || measured.suite.digest !== plan.suite.digest;
  const helps = !common && isOtherSelection && issues.length === 1;
  if (issues.length > 0) throw validationError(issues, helps ? commonCount(shared) : {});
  return {
    ...(common && { commonTasks: true }),
    ...('card' in before && { baselineImported: true }),
    ...(tolerance > 0 && { tolerance }),
    // Recorded only when the judges differ: permission alone changes nothing.
    ...(otherJudge && { judgeMismatchAllowed: true }),
  };
}

/** When the two suites differ and nothing else does: so many tasks are the same, and a caller may want to compare these. */
const commonCount = (shared: SharedTasks | undefined) =>
  shared && shared.common.size > 0 ? { commonTasks: shared.common.size } : {};

const sourceOf = (before: BaselineSource) =>
  'card' in before ? { ...before.card, imported: true } : before.plan;

type MeasurePins = Parameters<typeof judgesDiffer>[0];

const NO_DIGESTS =
  'The scorecard file of the baseline is older than digests of tasks, so it can be compared only with runs of the very same suite. Export it again where it was run.';
function otherMeasure(before: MeasurePins, after: MeasurePins): string {
  if (scorersDiffer(before, after)) return OTHER_SCORER;
  return usersDiffer(before, after) ? OTHER_USER : OTHER_JUDGE;
}

const OTHER_USER =
  'The answers of the baseline were given to another simulated user, so a difference could be the users’. Take another baseline, or set configurable.allowJudgeMismatch to true.';
const OTHER_SCORER =
  'The baseline was scored by another state of a scorer, so a difference could be the scorers’. Take another baseline, or set configurable.allowJudgeMismatch to true.';
const OTHER_JUDGE =
  'The baseline was scored by another judge, so a difference could be the judges’. Take another baseline, rejudge this one, or set configurable.allowJudgeMismatch to true.';

type BaselineSource =
  | { readonly measured: EvalPlan; readonly plan: EvalPlan }
  | { readonly measured: Scorecard; readonly card: Scorecard };

/** A run that is not there and one of another owner look the same. */
async function findBaseline(store: Store, owner: Owner, runId: RunId): Promise<BaselineSource> {
  const run = await store.runs.get(owner, runId);
  const card = run ? undefined : await store.baselines.kept(owner, runId);
  if (card) return { measured: card, card };
  if (!run) throw refusal('There is no run of this id to compare with.');
  if (run.plan.kind !== 'eval') throw refusal('Expected an evaluation to compare with; this run is none.');
  if (run.status !== 'completed')
    throw refusal(`Expected a completed run to compare with; this one is ${run.status}.`);
  return { measured: run.plan, plan: run.plan };
}

const refusal = (message: string): HostError => validationError([{ pointer: POINTER, message }]);

/**
 * In words, what keeps two runs from being held against each other. Judges are another matter: see `judgesDiffer`.
 * `sameTasks` is undefined when only the tasks that both suites share are compared.
 */
export function comparisonIssues(
  before: Comparable,
  after: Comparable,
  sameTasks: boolean | undefined,
): string[] {
  const issues: string[] = [];
  if (sameTasks !== undefined && before.suite.digest !== after.suite.digest)
    issues.push(
      `The baseline ran ${refOf(before)}, and this run ${refOf(after)} with other tasks. Only runs of the very same suite can be compared.`,
    );
  else if (sameTasks === false)
    issues.push('The baseline ran other tasks of the suite. Select the same ones.');
  if (before.contract !== after.contract)
    issues.push('The two runs were scored under different contracts, so their scores mean different things.');
  if (before.repeats !== after.repeats)
    issues.push(
      `The baseline ran every task ${oftenOf(before)}, and this run ${oftenOf(after)}. Use the same number of repeats.`,
    );
  return issues;
}

const oftenOf = ({ repeats }: Comparable): string => (repeats === 1 ? 'once' : `${repeats} times`);
const refOf = ({ suite }: Comparable): string => `${suite.suiteId}@${suite.version}`;

async function selectsSameTasks(
  store: Store,
  owner: Owner,
  before: BaselineSource,
  plan: EvalPlan,
): Promise<boolean> {
  if ('plan' in before) return jsonEqual(ordinalsOf(before.plan), ordinalsOf(plan));
  const { results } = before.card;
  if (results.length !== plannedSteps(plan)) return false;
  if (plan.ordinals === undefined) return true;
  const holder = await ownerOfSuite(store, owner, plan.suite.digest);
  const selected = new Set(plan.ordinals);
  for (const { taskId } of results) {
    const ordinal = holder && (await store.suites.ordinalOf(holder, plan.suite.digest, taskId));
    if (ordinal === undefined || !selected.has(ordinal)) return false;
  }
  return true;
}

const ordinalsOf = ({ ordinals }: EvalPlan) => (ordinals === undefined ? null : [...ordinals]);

const flagIssues = (value: unknown): readonly Issue[] =>
  value === undefined || typeof value === 'boolean'
    ? []
    : [{ pointer: '/configurable/allowJudgeMismatch', message: 'Expected true or false.' }];

/** `configurable.regression.tolerance`: what a drop must exceed to count. */
function readTolerance(value: unknown, issues: Issue[]): number | undefined {
  if (value === undefined) return undefined;
  const pointer = '/configurable/regression';
  const { tolerance, ...others } = (
    typeof value === 'object' && value !== null ? value : { others: value }
  ) as {
    readonly [key: string]: unknown;
  };
  if (Object.keys(others).length > 0)
    issues.push({ pointer, message: 'Expected an object with the member "tolerance" and no other.' });
  else if (typeof tolerance !== 'number' || !(tolerance >= 0 && tolerance <= 1))
    issues.push({ pointer: `${pointer}/tolerance`, message: 'Expected a number from 0 to 1.' });
  else return tolerance;
  return undefined;
}
