import type { Dialect } from '../dialect.js';

/** How many tasks a summary in the log lists. Its list is told from their results when it is read (decision 129). */
export const tasksOfSummaries = (t: Dialect): readonly string[] => [
  `ALTER TABLE log_entries ADD COLUMN tasks ${t.integer}`,
];
