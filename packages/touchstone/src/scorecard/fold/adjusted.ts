import type {
  AnnotationId,
  EvalReport,
  EventId,
  PrincipalId,
  ReportedOverride,
  TaskId,
  TaskResult,
  Thresholds,
  Timestamp,
} from '@touchstone/protocol';
import { createTotals } from './build.js';
import type { Fold } from './fold.js';
import { taskThreshold, thresholdOf } from './fold-task.js';

/** A correction of one score, by a reviewer who may correct. */
export type GivenOverride = {
  readonly taskId: TaskId;
  readonly eventId: EventId;
  readonly annotationId: AnnotationId;
  readonly override: { readonly score: number; readonly passed?: boolean };
  readonly by: PrincipalId;
  readonly at: Timestamp;
};

/** Of what kind a task is, for callers that have the suite at hand; without it the result itself has to tell. */
export type KindOf = (taskId: TaskId) => 'golden' | 'rubric' | undefined;

/**
 * The run with the overrides in place of the scores they are about. Nothing recorded changes: both are reported side by
 * side. `overrides` is the whole history, oldest first; a task has one `eval.scored` event, and the last word on it counts.
 */
export function createAdjusted(
  thresholds: Thresholds | undefined,
  overrides: readonly GivenOverride[],
  kindOf?: KindOf,
): Fold<TaskResult, Pick<EvalReport, 'adjusted'>> {
  if (overrides.length === 0) return UNADJUSTED;
  const lastWords = lastWordsOf(overrides);
  const totals = createTotals(thresholds);
  const listed: ReportedOverride[] = [];
  return {
    add(result) {
      const lastWord = lastWords.get(result.taskId);
      const after = lastWord ? applyOverride(result, thresholds, lastWord.given, kindOf) : result;
      if (lastWord) listed.push(describeOverride(result, after, lastWord));
      totals.add(after);
    },
    result() {
      const { aggregateScore, passed } = totals.result();
      return listed.length === 0 ? {} : { adjusted: { score: aggregateScore, passed, overrides: listed } };
    },
  };
}

const UNADJUSTED: Fold<TaskResult, object> = { add: () => undefined, result: () => ({}) };

type LastWord = { readonly given: GivenOverride; readonly replaced: number };

function lastWordsOf(overrides: readonly GivenOverride[]): ReadonlyMap<TaskId, LastWord> {
  const lastWords = new Map<TaskId, LastWord>();
  for (const given of overrides) {
    const earlier = lastWords.get(given.taskId);
    lastWords.set(given.taskId, { given, replaced: earlier ? earlier.replaced + 1 : 0 });
  }
  return lastWords;
}

/** A person can score what the host could not, so an overridden task is no longer unscored. */
function applyOverride(
  { unscored: _settled, ...result }: TaskResult,
  thresholds: Thresholds | undefined,
  { override: { score, passed } }: GivenOverride,
  kindOf: KindOf | undefined,
): TaskResult {
  const kind = kindOf?.(result.taskId);
  const threshold = result.bar ?? (kind ? taskThreshold(kind, thresholds) : thresholdOf(result, thresholds));
  return { ...result, score, passed: passed ?? score >= threshold };
}

const describeOverride = (
  before: TaskResult,
  after: TaskResult,
  { given, replaced }: LastWord,
): ReportedOverride => ({
  taskId: before.taskId,
  eventId: given.eventId,
  annotationId: given.annotationId,
  before: { score: before.score, passed: before.passed },
  after: { score: after.score, passed: after.passed },
  by: given.by,
  at: given.at,
  ...(replaced > 0 && { replaced }),
});
