// Tasks of a run as a list: ids, numbers and flags alone. What a task holds of content is in `taskView`.
import type {
  CriterionId,
  EventId,
  FindingKind,
  PrincipalId,
  RunId,
  SliceName,
  TaskId,
} from '../../model/ids.js';
import { SEVERITIES, UNSCORED_REASONS } from '../../model/score.js';
import {
  amount,
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  integer,
  list,
  mark,
  number,
  plain,
  text,
  type Wire,
} from '../schema/build.js';

const scored = { score: fraction(), passed: flag() };

const taskListing = closed(
  {
    /** The place of the task in the suite, counted from 0. */
    n: count('The place of the task in the suite, counted from 0.'),
    /** The task in its suite. */
    taskId: id<TaskId>(),
    /** The mean of its repeats; 0 when there is none. */
    score: fraction(),
    /** Whether the score reached the task's threshold. */
    passed: flag(),
  },
  {
    /** Why there is no score; the 0 then says nothing about the answer. */
    unscored: choice(UNSCORED_REASONS),
    /** How the invocation ended, when it was not with an answer to score. */
    outcome: choice(['failed', 'refused']),
    /** The slowest repeat, in milliseconds. */
    latencyMs: count(),
    /** Known cost of all repeats, judging included, in US dollars. */
    costUsd: amount(),
    /** The part of it that went to judges. */
    judgeUsd: amount(),
    /** Some answer does not fit the agent's return schema; absent otherwise. */
    schemaValid: plain<false>({ type: 'boolean', const: false }),
    /** What safety checks found. */
    findings: list(closed({ kind: id<FindingKind>(), severity: choice(SEVERITIES) })),
    /** Criteria that were met in every repeat, and how many there are. */
    criteria: plain<readonly [met: number, of: number]>({
      type: 'array',
      items: count(),
      minItems: 2,
      maxItems: 2,
    }),
    /** The lowest share of votes that a criterion was decided with. */
    agreement: fraction(),
    /** Scores of the single repeats, when there is more than one. */
    repeats: list(fraction()),
    /** The same task in the run that is compared with, when that run could score it. */
    before: closed(scored),
    /** One letter for each of the last runs, oldest first and this one last: p passed, f failed, u unscored, - absent. */
    last: text('p passed, f failed, u unscored, - absent; oldest first, this run last.'),
    /** What a reviewer said the score should be. */
    override: closed({ ...scored, by: id<PrincipalId>() }),
    /** How many annotations there are. */
    remarks: integer(undefined, { minimum: 1 }),
    /** A reviewer has flagged it. */
    flagged: mark(),
    /** The event that says its score, which an override names; absent until the log has it. */
    scored: id<EventId>(),
  },
);
/** One task of a run without content. */
export type TaskListing = Wire<typeof taskListing>;

/** Answer of `GET …/runs/{runId}/tasks`. */
export const taskList = closed({
  /** The run. */
  runId: id<RunId>(),
  /** Grows when the run does: equal revisions have equal tasks. */
  revision: count('Grows when the run does: equal revisions have equal tasks.'),
  /** Tasks that have ended. */
  total: count('Tasks that have ended.'),
  /** Of them, those that the filters keep. */
  matched: count('Of them, those that the filters keep.'),
  /** The place of the first item among them. */
  offset: count('The place of the first item among them.'),
  /** The tasks. */
  items: list(taskListing),
});
/** A part of a run's tasks, filtered and sorted. */
export type TaskList = Wire<typeof taskList>;

const histogram = closed(
  {
    /** One more than there are counts; a value belongs to the part that it is not below the beginning of. */
    edges: list(number()),
    /** Tasks in each part. */
    counts: list(count()),
  },
  {},
  { description: 'Values by parts; the last part includes its end.' },
);
/** How many tasks lie in each part of a range. */
export type Histogram = Wire<typeof histogram>;

/** Answer of `GET …/runs/{runId}/facets`. */
export const taskFacets = closed({
  /** By side. */
  outcomes: closed({ passed: count(), failed: count(), unscored: count() }),
  /** By what changed; all are unpaired when there is no run to compare with. */
  changes: closed({
    toFail: count(),
    toPass: count(),
    lower: count(),
    higher: count(),
    same: count(),
    unpaired: count('Tasks that one of the runs does not have or could not score.'),
  }),
  /** Tasks whose ids begin alike, the largest slices first. */
  slices: list(closed({ name: id<SliceName>(), tasks: count(), failed: count() })),
  /** What safety checks found. */
  findings: list(closed({ kind: id<FindingKind>(), severity: choice(SEVERITIES), tasks: count() })),
  /** Criteria by their ids: on how many tasks they are, and on how many they were met in every repeat. */
  criteria: list(closed({ id: id<CriterionId>(), applicable: count(), met: count() })),
  /** Where reviews stand; a task may be counted several times. */
  reviewed: closed({ open: count(), done: count(), overridden: count(), flagged: count() }),
  /** Of tasks that have the value. */
  histograms: closed({ score: histogram, timeMs: histogram, costUsd: histogram, change: histogram }),
});
/** How the tasks of a run fall apart. Each part ignores the filter by that part. */
export type TaskFacets = Wire<typeof taskFacets>;

/** Answer of `GET …/runs/{runId}/bodies`. The content of some tasks in short, to read many of them at once. */
export const taskBodies = closed({
  /** Those of the tasks that have ended, in the order they were asked for. */
  items: list(
    closed(
      {
        /** The task in its suite. */
        taskId: id<TaskId>(),
        /** What the agent was given; text as it is, anything else as JSON. */
        input: text(),
        /** Whether one of the texts was longer than asked for, and ends early. */
        cut: flag(),
      },
      {
        /** What a golden task is held against; absent for a rubric. */
        expected: text(),
        /** What the agent answered in the first repeat; absent when it did not. */
        output: text(),
      },
    ),
  ),
});
/** Inputs and answers of some tasks, in short. */
export type TaskBodies = Wire<typeof taskBodies>;
