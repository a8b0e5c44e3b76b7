import {
  judgesDiffer,
  judgesOfCommonDiffer,
  type MeasuredRun,
  type NoVerdict,
  type RunComparison,
  type TaskResult,
  type Thresholds,
} from '@touchstone/protocol';
import type { Fold } from '../fold/fold.js';
import type { SharedTasks } from './common-tasks.js';
import { createChangedCriteria } from './compare-criteria.js';
import { type PairTaker, pairUp, type SameTasks } from './paired-fold.js';
import { createRegression, type RegressionOptions } from './regression.js';
import { createTaskPairs } from './task-pairs.js';

/** A run that is compared, before its results are looked at. */
export type MeasuredFacts = Omit<MeasuredRun, 'score' | 'tasks'>;

/** The same with what it measured, in suite order. */
export type MeasuredResults = MeasuredFacts & { readonly results: readonly TaskResult[] };

export type CompareOptions = {
  /** A drop up to this is no regression. */
  readonly tolerance: number;
  /** Gives a verdict also when different judges have scored the two runs. */
  readonly allowJudgeMismatch?: boolean;
  /** Lists only this task and its criteria. One task decides nothing: the verdict stays that of all. */
  readonly taskId?: string;
  /** Lists the tasks that came out otherwise, and counts those that came out the same. */
  readonly changedOnly?: boolean;
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
  const { results: earlier, ...first } = before;
  const { results: later, ...second } = after;
  const fold = createComparison(first, second, options);
  return fold.result(pairUp(fold, earlier, later));
}

type ComparisonFold = PairTaker & { result(sameTasks: SameTasks): RunComparison };

/** The same, of results that come one after the other. */
export function createComparison(
  before: MeasuredFacts,
  after: MeasuredFacts,
  options: CompareOptions,
): ComparisonFold {
  const sides = { before: createSide(before), after: createSide(after) };
  const regression = createRegression(before, regressionOptions(before, after, options));
  const [pairs, criteria] = [createTaskPairs(options), createChangedCriteria()];
  return {
    before(result) {
      sides.before.add(result);
      regression.before(result);
    },
    after(result) {
      sides.after.add(result);
      regression.after(result);
    },
    pair(earlier, later) {
      regression.pair(earlier, later);
      pairs.pair(earlier, later);
      if (options.taskId === undefined || later?.taskId === options.taskId) criteria.pair(earlier, later);
    },
    result(sameTasks) {
      const noVerdict = whyNoVerdict(before, after, { ...options, sameTasks });
      const { tasks, same } = pairs.result();
      return {
        before: sides.before.result(),
        after: sides.after.result(),
        ...(noVerdict ? { noVerdict } : { regression: regression.result() }),
        tasks,
        ...(options.changedOnly && { sameTasks: same }),
        criteria: criteria.result(),
      };
    },
  };
}

function createSide(run: MeasuredFacts): Fold<TaskResult, MeasuredRun> {
  let [sum, total, passed] = [0, 0, 0];
  return {
    add(result) {
      sum += result.score;
      total += 1;
      if (result.passed) passed += 1;
    },
    result: () => ({ ...run, score: total === 0 ? 0 : sum / total, tasks: { total, passed } }),
  };
}

const otherJudges = (
  before: MeasuredFacts,
  after: MeasuredFacts,
  { common }: { readonly common?: boolean | undefined },
): boolean => (common ? judgesOfCommonDiffer : judgesDiffer)(before, after);

/** The digest of the later suite seeds the chance in the comparison. */
const regressionOptions = (
  before: MeasuredFacts,
  after: MeasuredFacts,
  options: CompareOptions,
): RegressionOptions => ({
  tolerance: options.tolerance,
  seed: after.suite.digest,
  otherJudge: otherJudges(before, after, options),
  shared: options.common ? options.shared : undefined,
  thresholds: options.thresholds,
});

/** Why no verdict can be given on two runs; undefined when one can. */
export function whyNoVerdict(
  before: MeasuredFacts,
  after: MeasuredFacts,
  {
    allowJudgeMismatch = false,
    common,
    shared,
    sameTasks = true,
  }: Partial<CompareOptions> & { readonly sameTasks?: SameTasks } = {},
): NoVerdict | undefined {
  const differs = common && shared ? undefined : whyOtherTasks(before, after, sameTasks, shared);
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
  before: MeasuredFacts,
  after: MeasuredFacts,
  sameTasks: SameTasks,
  shared: SharedTasks | undefined,
): NoVerdict | undefined {
  if (before.suite.digest !== after.suite.digest)
    return { code: 'other_suite', message: otherSuite(before, after), ...commonCount(shared) };
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

function otherSuite({ suite: one }: MeasuredFacts, { suite: other }: MeasuredFacts): string {
  const what =
    one.suiteId === other.suiteId && one.version === other.version
      ? `Suite ${one.suiteId}@${one.version} was edited between the two runs`
      : one.suiteId === other.suiteId
        ? `The two runs are of different versions of suite ${one.suiteId}`
        : 'The two runs are of different suites';
  return `${what}: a task of the same name may ask something else, so a difference proves nothing.`;
}
