import { defined, type ReportedRegression, type RunComparison, type RunId } from '@touchstone/protocol';
import { tooFew } from './regression.js';
import type { RunView } from './run-view.js';
import { chance, plural, signed, whole } from './units.js';

/** The paired test of one variant against the first, with the numbers that `compare` says. */
export type VariantTest = Pick<
  ReportedRegression,
  'verdict' | 'scoreDelta' | 'interval' | 'pValue' | 'tasks'
>;

/** One combination of what was varied, and the run that was made of it. */
export type MatrixVariant = {
  /** What tells it from the others, as the caller typed it. */
  readonly name: string;
  /** The value of each option that was varied. */
  readonly options: { readonly [option: string]: string };
  /** Absent when the host refused the run. */
  readonly runId?: RunId;
  /** The mean of the task scores; absent when some have none, or the run did not complete. */
  readonly score?: number;
  /** Where the score could lie, 95 %. */
  readonly interval?: readonly [number, number];
  /** Whether the run reached its thresholds. */
  readonly passed?: boolean;
  /** Median response time of the agent. */
  readonly p50Ms?: number;
  /** Known cost, judges included, in US dollars. */
  readonly costUsd?: number;
  /** Absent for the first variant, and where the two cannot be compared. */
  readonly againstFirst?: VariantTest;
  /** Why there is no test. */
  readonly notCompared?: string;
};

/** Runs of one suite side by side. */
export type Matrix = {
  /** `suiteId@version`. */
  readonly suite: string;
  /** In the order in which they were named. */
  readonly variants: readonly MatrixVariant[];
  /** In the order of the suite; `null` where a variant has no score. */
  readonly tasks: readonly { readonly taskId: string; readonly scores: readonly (number | null)[] }[];
};

/** What one variant came to. */
export type MatrixColumn = Pick<MatrixVariant, 'name' | 'options'> & {
  /** Absent when the host refused the run. */
  readonly view?: RunView;
  /** With the first variant; absent for the first, and for runs that did not complete. */
  readonly comparison?: RunComparison;
};

/** Lays runs of one suite side by side. */
export function matrixOf(suite: string, columns: readonly MatrixColumn[]): Matrix {
  const scores = columns.map(({ view }) => scoresOf(view));
  const taskIds = [...new Set(scores.flatMap((column) => [...column.keys()]))];
  return {
    suite,
    variants: columns.map(variantOf),
    tasks: taskIds.map((taskId) => ({
      taskId,
      scores: scores.map((column) => column.get(taskId) ?? null),
    })),
  };
}

function scoresOf(view: RunView | undefined): ReadonlyMap<string, number | null> {
  const unscored = new Set(view?.unscored ?? []);
  return new Map(
    (view?.summary?.tasks ?? []).map(({ taskId, score }) => [taskId, unscored.has(taskId) ? null : score]),
  );
}

function variantOf({ name, options, view, comparison }: MatrixColumn): MatrixVariant {
  const scored = view?.counts.unscored === 0 ? view.summary : null;
  const { regression, noVerdict } = comparison ?? {};
  return {
    name,
    options,
    ...defined({
      runId: view?.runId,
      score: scored?.aggregateScore,
      interval: scored ? view?.report?.aggregate.interval : undefined,
      passed: view?.summary?.passed,
      p50Ms: view?.latency?.p50Ms,
      costUsd: view?.costUsd,
      againstFirst: regression && testOf(regression),
      notCompared: noVerdict?.message,
    }),
  };
}

const testOf = ({ verdict, scoreDelta, interval, pValue, tasks }: ReportedRegression): VariantTest => ({
  verdict,
  scoreDelta,
  interval,
  pValue,
  tasks,
});

/** The tasks that not all variants scored alike. */
export const differingTasks = ({ tasks }: Matrix): Matrix['tasks'] =>
  tasks.filter(({ scores }) => scores.some((score) => score !== scores[0]));

/** Which way a variant differs from the first, as far as chance lets one tell. */
export type VariantTrend = 'worse' | 'better' | 'unclear' | 'same';

/** The test looks for drops; a rise is called one when the interval leaves nothing else. */
function trendOf({ verdict, interval, tasks }: VariantTest): VariantTrend {
  if (verdict === 'pass' && tasks.differing === 0) return 'same';
  if (verdict === 'fail') return 'worse';
  return verdict !== 'inconclusive' && interval[0] > 0 ? 'better' : 'unclear';
}

/** What a variant is against the first, in words; also when there is no test. */
export function againstFirst({ againstFirst: test, notCompared }: MatrixVariant): {
  readonly trend: VariantTrend;
  readonly words: string;
} {
  if (test) return { trend: trendOf(test), words: testWords(test) };
  return { trend: 'unclear', words: `no verdict: ${notCompared ?? 'one of the two did not complete'}` };
}

/** `worse: −0.12 (p 0.004), 9 of 40 tasks differ`. */
function testWords(test: VariantTest): string {
  const { scoreDelta, interval, pValue, tasks, verdict } = test;
  if (verdict === 'inconclusive') return `cannot tell: ${tooFew(test)}`;
  const trend = trendOf(test);
  if (trend === 'same') return `the same on ${plural(tasks.paired, 'task')}`;
  const how = trend === 'worse' ? `p ${chance(pValue)}` : `95 %: ${interval.map(signed).join(' to ')}`;
  const differ = `${whole(tasks.differing)} of ${plural(tasks.paired, 'task')} differ`;
  return `${TREND_WORDS[trend]}: ${signed(scoreDelta)} (${how}), ${differ}`;
}

const TREND_WORDS = { worse: 'worse', better: 'better', unclear: 'no clear difference' };
