import type { Dialect } from '../dialect.js';

/** Processes that take up runs, as each has told of itself last. A row that is no longer renewed is of one that is gone. */
export const workers = (t: Dialect): readonly string[] => [
  `CREATE TABLE workers (
    worker ${t.text} NOT NULL PRIMARY KEY,
    environment ${t.text} NOT NULL,
    version ${t.text} NOT NULL,
    at_work ${t.integer} NOT NULL,
    beat_at ${t.integer} NOT NULL
  )${t.clustered}`,
];
