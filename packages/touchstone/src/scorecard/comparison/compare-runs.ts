import {
  type ComparedScore,
  judgesDiffer,
  judgesOfCommonDiffer,
  type MeasuredRun,
  type NoVerdict,
  type RunComparison,
  type TaskPair,
  type TaskResult,
  type Thresholds,
  TURNS,
  type Turn,
} from '@touchstone/protocol';
import type { SharedTasks } from './common-tasks.js';
import { compareCriteria } from './compare-criteria.js';
import { createFindResult } from './find-result.js';
import { compareResults } from './regression.js';

/** A run that is compared, with what it measured, in suite order. */
export type MeasuredResults = Omit<MeasuredRun, 'score' | 'tasks'> & {
  readonly results: readonly TaskResult[];
};

export type CompareOptions = {
  /** A drop up to this is no regression. */
  readonly tolerance: number;
  /** Gives a verdict also when different judges have scored the two runs. */
  readonly allowJudgeMismatch?: boolean;
  /** Lists only this task and its criteria. One task decides nothing: the verdict stays that of all. */
  readonly taskId?: string;
  /** How the tasks of the two suites hang together, as far as that is known. */
  readonly shared?: SharedTasks | undefined;
  /** Give a verdict on common tasks, although the suites differ. */
  readonly common?: boolean;
  /** Of the later run's suite. */
  readonly thresholds?: Thresholds | undefined;
};

/** Holds one run against another, task by task, with a verdict where there can be one. */
export function compareRuns(
  before: MeasuredResults,
  after: MeasuredResults,
  options: CompareOptions,
): RunComparison {
  const noVerdict = whyNoVerdict(before, after, options);
  const listed = ({ results }: MeasuredResults): readonly TaskResult[] =>
    options.taskId === undefined ? results : results.filter(({ taskId }) => taskId === options.taskId);
  return {
    before: factsOf(before),
    after: factsOf(after),
    ...(noVerdict ? { noVerdict } : { regression: regressionOf(before, after, options) }),
    tasks: compareTasks(listed(before), listed(after)),
    criteria: compareCriteria(listed(before), listed(after)),
  };
}

function factsOf({ results, ...run }: MeasuredResults): MeasuredRun {
  const sum = results.reduce((total, { score }) => total + score, 0);
  return {
    ...run,
    score: results.length === 0 ? 0 : sum / results.length,
    tasks: { total: results.length, passed: results.filter(({ passed }) => passed).length },
  };
}

const otherJudges = (
  before: MeasuredResults,
  after: MeasuredResults,
  { common }: { readonly common?: boolean | undefined },
): boolean => (common ? judgesOfCommonDiffer : judgesDiffer)(before, after);

/** The digest of the later suite seeds the chance in the comparison. */
const regressionOf = (before: MeasuredResults, after: MeasuredResults, options: CompareOptions) =>
  compareResults(before, after, {
    tolerance: options.tolerance,
    seed: after.suite.digest,
    otherJudge: otherJudges(before, after, options),
    shared: options.common ? options.shared : undefined,
    thresholds: options.thresholds,
  });

/** Every task of both, drops first. */
export const compareTasks = (
  before: readonly TaskResult[],
  after: readonly TaskResult[],
): readonly TaskPair[] => sortPairs(pairTasks(before, after));

/** In the order of the later run; what only the earlier one had comes last. */
function pairTasks(before: readonly TaskResult[], after: readonly TaskResult[]): TaskPair[] {
  const earlier = createFindResult(before);
  const later = createFindResult(after);
  const pairs = after.map((result, at) => pairOf(earlier(result.taskId, at), result));
  for (const [at, result] of before.entries())
    if (!later(result.taskId, at)) pairs.push(pairOf(result, undefined));
  return pairs;
}

// Scores of repeats are means, and two equal ones may differ in their last digit.
const ROUNDING = 1e-9;

function pairOf(before: TaskResult | undefined, after: TaskResult | undefined): TaskPair {
  if (before && after && !before.unscored && !after.unscored) return scoredPair(before, after);
  const pair = {
    taskId: ((after ?? before) as TaskResult).taskId,
    ...(before && { before: scoreOf(before) }),
    ...(after && { after: scoreOf(after) }),
  };
  return { ...pair, turn: turnOf(pair), ...(after?.criteria && { rubric: true }) };
}

/** Most pairs by far, and made of one piece. */
function scoredPair(earlier: TaskResult, later: TaskResult): TaskPair {
  const moved = later.score - earlier.score;
  const change = Math.abs(moved) < ROUNDING ? 0 : moved;
  const before = { score: earlier.score, passed: earlier.passed };
  const isEqual = later.score === before.score && later.passed === before.passed;
  const after = isEqual ? before : { score: later.score, passed: later.passed };
  const pair = { taskId: later.taskId, before, after, change, turn: turnOf({ before, after, change }) };
  return later.criteria ? { ...pair, rubric: true } : pair;
}

/** What a comparison keeps of a result. */
export const scoreOf = ({ score, passed, unscored }: TaskResult): ComparedScore => ({
  score,
  passed,
  ...(unscored && { unscored: true }),
});

/** Under another threshold a task can change sides although its score has not moved. */
function turnOf({ before, after, change }: Pick<TaskPair, 'before' | 'after' | 'change'>): Turn {
  if (!after) return 'gone';
  if (!before) return 'new';
  if (change === undefined) return before.unscored && after.unscored ? 'same' : 'unclear';
  const towards = change === 0 ? Number(after.passed) - Number(before.passed) : change;
  return towards < 0 ? 'worse' : towards > 0 ? 'better' : 'same';
}

/** Tasks that moved equally far stay in suite order. */
const sortPairs = (pairs: readonly TaskPair[]): readonly TaskPair[] =>
  TURNS.flatMap((turn) => pairs.filter((pair) => pair.turn === turn).sort((a, b) => sizeOf(b) - sizeOf(a)));

/** In steps, so that the last digit does not decide which of two equal moves comes first. */
const sizeOf = ({ change = 0 }: TaskPair): number => Math.round(Math.abs(change) / ROUNDING);

/** Why no verdict can be given on two runs; undefined when one can. */
export function whyNoVerdict(
  before: MeasuredResults,
  after: MeasuredResults,
  { allowJudgeMismatch = false, common, shared }: Partial<CompareOptions> = {},
): NoVerdict | undefined {
  const differs = common && shared ? undefined : whyOtherTasks(before, after, shared);
  if (differs) return differs;
  if (before.contract !== after.contract) return OTHER_CONTRACT;
  if (before.repeats !== after.repeats)
    return {
      code: 'other_repeats',
      message: `Every task was run ${times(before.repeats)} before and ${times(after.repeats)} after. Use the same number of repeats in both.`,
    };
  return otherJudges(before, after, { common }) && !allowJudgeMismatch ? OTHER_JUDGE : undefined;
}

function whyOtherTasks(
  before: MeasuredResults,
  after: MeasuredResults,
  shared: SharedTasks | undefined,
): NoVerdict | undefined {
  if (before.suite.digest !== after.suite.digest)
    return { code: 'other_suite', message: otherSuite(before, after), ...commonCount(shared) };
  const sameTasks =
    before.results.length === after.results.length &&
    before.results.every(({ taskId }, at) => taskId === after.results[at]?.taskId);
  return sameTasks ? undefined : OTHER_TASKS;
}

const commonCount = (shared: SharedTasks | undefined): Pick<NoVerdict, 'commonTasks'> =>
  shared && shared.common.size > 0 ? { commonTasks: shared.common.size } : {};

const OTHER_TASKS: NoVerdict = {
  code: 'other_tasks',
  message: 'The two runs ran different tasks of the suite. Select the same ones in both.',
};
const OTHER_CONTRACT: NoVerdict = {
  code: 'other_contract',
  message: 'The two runs were scored under different contracts, so their scores mean different things.',
};
const OTHER_JUDGE: NoVerdict = {
  code: 'other_judge',
  message: 'The two runs were scored by different judges, so a difference could be the judges’.',
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function otherSuite({ suite: one }: MeasuredResults, { suite: other }: MeasuredResults): string {
  const what =
    one.suiteId === other.suiteId && one.version === other.version
      ? `Suite ${one.suiteId}@${one.version} was edited between the two runs`
      : one.suiteId === other.suiteId
        ? `The two runs are of different versions of suite ${one.suiteId}`
        : 'The two runs are of different suites';
  return `${what}: a task of the same name may ask something else, so a difference proves nothing.`;
}
