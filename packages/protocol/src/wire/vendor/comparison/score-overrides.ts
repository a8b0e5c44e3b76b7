// Scores that people have corrected. Content-free.
import type { AnnotationId, EventId, PrincipalId, TaskId, Timestamp } from '../../../model/ids.js';
import { closed, flag, fraction, id, type Wire } from '../../schema/build.js';

/** An entry of `GET …/runs/{runId}/overrides`. */
export const scoreOverride = closed(
  {
    /** The annotation that holds the correction. */
    annotationId: id<AnnotationId>(),
    /** The task whose score was corrected. */
    taskId: id<TaskId>(),
    /** Its `eval.scored` event. */
    eventId: id<EventId>(),
    /** What the score is taken for. */
    score: fraction(),
    /** The reviewer, as an opaque id. */
    by: id<PrincipalId>('Whose correction it is.'),
    /** When it was made. */
    at: id<Timestamp>(),
  },
  {
    /**
     * Set when the correction named a side rather than a score. `pass` or `fail` in the reviewer's words; absent when
     * the reviewer gave a score.
     */
    passed: flag('Set when the correction named a side rather than a score.'),
  },
);
/** A person's correction of one task's score, which reports take in place of it. */
export type ScoreOverride = Wire<typeof scoreOverride>;
