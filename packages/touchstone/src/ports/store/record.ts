import type { RepeatScore, TaskResult } from '@touchstone/protocol';
import type { NewEvent, RecordBodies } from '@touchstone/protocol/bodies';

/**
 * What is sealed: one execution of one unit, written once. `(run, ordinal, repeat)` is unique; a second seal is dropped.
 * `events` is the invocation bracket with its usage; `eval.scored` is not in it, because it belongs to the
 * task as a whole and is derived from the task's result.
 */
export type TaskRecord = {
  readonly ordinal: number;
  readonly repeat: number;
  readonly events: readonly NewEvent[];
  readonly score?: RepeatScore;
  readonly bodies?: RecordBodies;
};

/** What a log is made of: loose events, or a finished step that stands for its records (all repeats, in order). */
export type LogEntry =
  | { readonly kind: 'events'; readonly events: readonly NewEvent[] }
  | {
      readonly kind: 'step';
      readonly ordinal: number;
      readonly repeats: number;
      /** Events of all the step's records; one more is counted for `eval.scored` when there is a result. */
      readonly eventCount: number;
      readonly result?: TaskResult;
      readonly at: number;
    };

/** Events an entry adds to the log: a step with a result brings its `eval.scored` along. */
export const eventCountOf = (entry: LogEntry): number =>
  entry.kind === 'events' ? entry.events.length : entry.eventCount + (entry.result ? 1 : 0);
