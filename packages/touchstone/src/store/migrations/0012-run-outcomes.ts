import type { Dialect } from '../dialect.js';

/**
 * How each task of a completed eval run came out, one character a task, and the figures that lists show. All of it can be
 * computed from the log again, so runs that ended before have no row until somebody asks.
 */
export const runOutcomes = (t: Dialect): readonly string[] => [
  `CREATE TABLE run_outcomes (
    run_no ${t.integer} NOT NULL PRIMARY KEY REFERENCES runs (run_no),
    outcomes ${t.text} NOT NULL,
    figures ${t.text} NOT NULL
  )`,
];
