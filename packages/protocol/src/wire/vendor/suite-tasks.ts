// The tasks of a suite: a list without content, and one with it.
import type { TaskId } from '../../model/ids.js';
import { choice, closed, count, id, json, jsonObject, list, text, type Wire } from '../schema/build.js';

const suiteTask = closed(
  {
    /** The place of the task in the suite, counted from 0. */
    n: count('The place of the task in the suite, counted from 0.'),
    /** The task in its suite. */
    taskId: id<TaskId>(),
    /** What its answer is scored by. */
    kind: choice(['golden', 'rubric']),
  },
  {
    /** How a golden answer is compared. */
    strategy: text(),
    /** How many criteria a rubric has. */
    criteria: count(),
    /** How many answers of tools are recorded with it; absent when there are none. */
    tools: count(),
    /** How many entries its memory begins with; absent when there are none. */
    memory: count(),
  },
);
/** One task of a suite without content. */
export type SuiteTaskListing = Wire<typeof suiteTask>;

/** Answer of `GET …/suites/{suiteRef}/tasks`. */
export const suiteTaskList = closed({
  /** Tasks of the suite. */
  total: count('Tasks of the suite.'),
  /** Of them, those that the filters keep. */
  matched: count('Of them, those that the filters keep.'),
  /** The place of the first item among them. */
  offset: count('The place of the first item among them.'),
  /** The tasks. */
  items: list(suiteTask),
});
/** A part of a suite's tasks. */
export type SuiteTaskList = Wire<typeof suiteTaskList>;

/** Answer of `GET …/suites/{suiteRef}/tasks/{taskId}`: the task as its author wrote it. */
export const suiteTaskView = closed(
  {
    /** The task in its suite. */
    taskId: id<TaskId>(),
    /** What the agent is given. */
    input: json(),
    /** What its answer is scored by. */
    expected: jsonObject(),
  },
  {
    /** Answers of tools, and what the memory holds before the task begins. */
    fixtures: jsonObject(),
  },
);
/** One task of a suite, with content. */
export type SuiteTaskView = Wire<typeof suiteTaskView>;
