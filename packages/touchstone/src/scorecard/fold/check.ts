import type { EvalSummary, RunTotals, Scorecard, TaskResult, TaskScore } from '@touchstone/protocol';
import { createMean, mean } from './aggregate.js';
import { buildSummary, foldResults } from './build.js';
import { type Fold, foldAll } from './fold.js';
import { reachesThreshold, thresholdOf } from './fold-task.js';

/** Totals may have been added up elsewhere, in another order. */
const ROUNDING = 1e-9;
const MOST_TROUBLES = 50;

/**
 * Where a scorecard contradicts itself: its results are folded again and the summary held against that. Says which
 * member of what, in ids and names only. Empty when the summary follows from the results.
 */
export function scorecardTroubles(card: Scorecard): readonly string[] {
  const troubles = [
    ...suiteTroubles(card),
    ...card.results.flatMap((result) => resultTroubles(card, result)),
    ...summaryTroubles(card),
    ...contractTroubles(card),
  ];
  const more = troubles.length - MOST_TROUBLES;
  return more > 0 ? [...troubles.slice(0, MOST_TROUBLES), `There are ${more} more.`] : troubles;
}

type CountedTotals = Pick<RunTotals, 'aggregateScore' | 'taskCount' | 'passedCount'>;
type CountedTask = Pick<TaskScore, 'score' | 'passed'>;

/** Whether these tasks come to these totals. */
export const hasTotals = (tasks: Iterable<CountedTask>, totals: CountedTotals): boolean =>
  foldAll(createTotalsCheck(totals), tasks);

/** The same, of tasks that come one after the other. */
export function createTotalsCheck(totals: CountedTotals): Fold<CountedTask, boolean> {
  const scores = createMean();
  let passedCount = 0;
  return {
    add({ score, passed }) {
      scores.add(score);
      if (passed) passedCount += 1;
    },
    result: () =>
      scores.count === totals.taskCount &&
      passedCount === totals.passedCount &&
      isNear(scores.result(), totals.aggregateScore),
  };
}

/** The names of the rules that do not hold. */
const broken = (rules: readonly (readonly [trouble: string, holds: boolean])[]): string[] =>
  rules.flatMap(([trouble, holds]) => (holds ? [] : [trouble]));

function suiteTroubles({ suite, summary, results, totalTasks }: Scorecard): string[] {
  const tasks = new Set(results.map(({ taskId }) => taskId)).size;
  return broken([
    ['summary.suiteId is not the id in suite.', summary.suiteId === suite.suiteId],
    ['summary.suiteVersion is not the version in suite.', summary.suiteVersion === suite.version],
    ['results holds a task more than once.', tasks === results.length],
    ['results holds more tasks than totalTasks.', results.length <= totalTasks],
  ]);
}

/** What `foldTask` would never have written. */
function resultTroubles({ thresholds, repeats }: Scorecard, result: TaskResult): string[] {
  const { taskId, score, passed } = result;
  const cleared = reachesThreshold(result, thresholdOf(result, thresholds));
  const folded = result.repeats ? mean(result.repeats) : score;
  return broken([
    [`results: score of task ${taskId} is not within 0 and 1.`, score >= 0 && score <= 1],
    [`results: passed of task ${taskId} does not follow from its score.`, passed === cleared],
    [`results: score of task ${taskId} is not the mean of its repeats.`, isNear(score, folded)],
    [`results: task ${taskId} has another number of repeats.`, (result.repeats?.length ?? 1) === repeats],
  ]);
}

function summaryTroubles({ suite, thresholds, results, summary }: Scorecard): string[] {
  const facts = { suiteId: suite.suiteId, suiteVersion: suite.version, ...(thresholds && { thresholds }) };
  const folded = buildSummary(facts, results);
  const follows = 'does not follow from the results.';
  return [
    ...broken([
      [`summary.aggregateScore ${follows}`, isNear(summary.aggregateScore, folded.aggregateScore)],
      [`summary.passed ${follows}`, summary.passed === folded.passed],
      [`summary.taskCount ${follows}`, summary.taskCount === folded.taskCount],
      [`summary.passedCount ${follows}`, summary.passedCount === folded.passedCount],
      [`summary.totalCostUsd ${follows}`, isNear(summary.totalCostUsd, folded.totalCostUsd)],
      ['summary.tasks does not list the tasks of results.', summary.tasks.length === folded.tasks.length],
      ['summary.regression.scoreDelta is not within -1 and 1.', isDelta(summary.regression)],
    ]),
    ...folded.tasks.flatMap((task, place) => taskTroubles(task, summary.tasks[place])),
  ];
}

/** Which criteria are strict is known only where the contract is; the thresholds are in the card. */
function contractTroubles({ contract, contractVerdict, otherBarsMet, ...card }: Scorecard): string[] {
  const { results, thresholds, totalTasks } = card;
  const isPart = contractVerdict !== undefined && results.length < totalTasks;
  const othersMet = foldResults({ ...thresholds, passScore: 0 }, results).passed;
  return broken([
    ['contractVerdict is there, and no contract.', contractVerdict === undefined || contract !== undefined],
    ['otherBarsMet does not follow from the results.', otherBarsMet === (isPart ? othersMet : undefined)],
  ]);
}

function taskTroubles(folded: TaskScore, listed: TaskScore | undefined): string[] {
  if (!listed) return [];
  if (listed.taskId !== folded.taskId) return [`summary.tasks: task ${folded.taskId} is not in its place.`];
  const members = ['score', 'passed', 'costUsd', 'latencyMs', 'schemaValid'] as const;
  const where = (member: string): string =>
    `summary.tasks: ${member} of task ${folded.taskId} is not its result's.`;
  return broken([
    ...members.map((member) => [where(member), listed[member] === folded[member]] as const),
    [where('safetyFindings'), namesOf(listed) === namesOf(folded)],
  ]);
}

const namesOf = ({ safetyFindings = [] }: TaskScore): string =>
  safetyFindings.map(({ kind, severity }) => `${severity} ${kind}`).join('\n');

const isDelta = (regression: EvalSummary['regression']): boolean =>
  regression === undefined || Math.abs(regression.scoreDelta) <= 1;

const isNear = (a: number | undefined, b: number | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a), Math.abs(b));
