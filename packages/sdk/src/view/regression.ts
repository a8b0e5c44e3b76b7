import type { ChangedTask, ReportedRegression } from '@touchstone/protocol';
import { type RunView, refOf } from './run-view.js';
import { age, chance, changeOf, duration, plural, signed, usd, whole } from './units.js';

/** So many tasks have to differ before chance can be told from change. */
const NEEDED = 5;

/** What became of a comparison, in one line: `REGRESSION real: −0.12 (p 0.004), 9 of 40 tasks differ`. */
export function regressionWords(regression: ReportedRegression): string {
  const { verdict, scoreDelta, pValue, tolerance, tasks } = regression;
  const differ = `${whole(tasks.differing)} of ${plural(tasks.paired, 'task')} differ`;
  const size = `${signed(scoreDelta)} (p ${chance(pValue)})`;
  if (verdict === 'fail') return `REGRESSION real: ${size}, ${differ}`;
  if (verdict === 'inconclusive') return `cannot tell: ${tooFew(regression)}`;
  if (tasks.differing === 0) return `no regression: ${plural(tasks.paired, 'task')} scored as before`;
  if (scoreDelta >= 0) return `no regression: ${size}, ${differ}`;
  const isTolerated = tolerance > 0 && -scoreDelta <= tolerance;
  return `no real regression: ${size}, ${isTolerated ? `within the tolerance of ${tolerance}` : differ}`;
}

/** Why a comparison has no verdict. */
export const tooFew = ({ tasks, scoreDelta }: Pick<ReportedRegression, 'tasks' | 'scoreDelta'>): string =>
  tasks.common === 0
    ? 'no task is the same in both suites'
    : tasks.paired === 0
      ? 'no task was scored in both runs'
      : `${signed(scoreDelta)}, but only ${plural(tasks.differing, 'task')} differ (${NEEDED} are needed)`.replace(
          '1 task differ',
          '1 task differs',
        );

/** What the comparison could have missed, in words. */
export const detectableWords = ({ smallestDetectableDrop }: ReportedRegression): string =>
  smallestDetectableDrop === undefined
    ? 'With so few tasks no drop would be found, however large.'
    : `A drop under ${ceiled(smallestDetectableDrop)} would go unnoticed 1 time in 5 or more.`;

/** Rounded up: what is promised to be found must be found. */
const ceiled = (value: number): string => (Math.ceil(value * 100 - 1e-9) / 100).toFixed(2);

/** `run-1, version 1.0.0, 3 days ago`. */
export function baselineWords({ report, agent, baselineAgeMs = 0 }: RunView): readonly string[] {
  const regression = report?.regression;
  if (!regression) return [];
  const { baseline, baselineRunId } = regression;
  const who =
    baseline.agent.agentId === agent.agentId
      ? `version ${baseline.agent.version}`
      : `agent ${refOf(baseline.agent)}`;
  const file = baseline.imported ? ['from a scorecard file'] : [];
  return [baselineRunId, who, `${age(baselineAgeMs)} ago`, ...file];
}

/** A task that scored differently, and which way it crossed its threshold, when it did. */
export type SidedChange = ChangedTask & { readonly side?: 'now fails' | 'now passes' };

/** What matters most first: tasks that now fail, other drops, tasks that now pass, other rises. */
export function changesInOrder({ changes, toFail, toPass }: ReportedRegression): readonly SidedChange[] {
  const failing = new Set<string>(toFail);
  const passing = new Set<string>(toPass);
  const sided = changes.map((change): SidedChange => {
    if (failing.has(change.taskId)) return { ...change, side: 'now fails' };
    return passing.has(change.taskId) ? { ...change, side: 'now passes' } : change;
  });
  const rank = ({ side, before, after }: SidedChange): number =>
    side === 'now fails' ? 0 : side === 'now passes' ? 2 : after < before ? 1 : 3;
  return sided.sort((a, b) => rank(a) - rank(b));
}

/** Which tasks are not compared, because the suite has changed since. */
const changedSuite = ({
  common,
  changed = [],
  added = [],
  removed = [],
}: ReportedRegression['tasks']): readonly string[] =>
  common === undefined || changed.length + added.length + removed.length === 0
    ? []
    : [
        `Compared on ${plural(common, 'task')} that ${common === 1 ? 'is' : 'are'} the same in both suites.`,
        ...listed('Changed since', changed),
        ...listed('Added since', added),
        ...listed('Removed since', removed),
      ];

const NAMED = 20;

const listed = (title: string, ids: readonly string[]): readonly string[] =>
  ids.length === 0
    ? []
    : [
        `${title} (${whole(ids.length)}): ${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ' …' : ''}.`,
      ];

/** For a comparison that was not made because the suites differ. */
export const commonWords = (common: number): string =>
  `${plural(common, 'task')} ${common === 1 ? 'is' : 'are'} the same in both; --common compares them.`;

/** What a reader has to know before taking the difference for the agent's. */
export const remarksOf = ({ tasks, otherJudge }: ReportedRegression): readonly string[] => [
  ...changedSuite(tasks),
  ...(otherJudge ? ['The two runs have different judges: part of the difference may be theirs.'] : []),
  ...(tasks.unpaired > 0
    ? [`${plural(tasks.unpaired, 'task')} left out: one of the two runs could not score them.`]
    : []),
];

/** Cost and latency, then and now, as far as they are known of both runs. */
export function deltaWords({ cost, latency }: ReportedRegression): readonly string[] {
  const times = latency && [
    latencyWords('p50', latency.before.p50Ms, latency.after.p50Ms),
    latencyWords('p95', latency.before.p95Ms, latency.after.p95Ms),
  ];
  const { beforeUsd = 0, afterUsd = 0 } = cost ?? {};
  return [
    ...(times ? [times.join(' · ')] : []),
    ...(cost ? [`cost ${usd(beforeUsd)} → ${usd(afterUsd)}${percentWords(beforeUsd, afterUsd)}`] : []),
  ];
}

/** `p95 400 ms → 480 ms (+20 %)`. */
const latencyWords = (name: string, before: number, after: number): string =>
  `${name} ${duration(before)} → ${duration(after)}${percentWords(before, after)}`;

const percentWords = (before: number, after: number): string => {
  const change = changeOf(before, after);
  return change === '' ? '' : ` (${change})`;
};

/** How sure the verdict of a comparison is, a sentence each. */
export function changeCertainty(regression: ReportedRegression): readonly string[] {
  const { interval, tasks, verdict } = regression;
  const [low, high] = interval.map(signed);
  return [
    ...(tasks.paired > 0 ? [`95 % interval of the change: ${low} to ${high}`] : []),
    ...(verdict === 'fail' ? [] : [detectableWords(regression)]),
    ...remarksOf(regression),
  ];
}
