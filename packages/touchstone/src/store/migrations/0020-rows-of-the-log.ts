import type { Dialect } from '../dialect.js';

/**
 * The last entry of a run holds a line per task, so it is long. In a tree that holds whole rows, SQLite reads all of a long row
 * whenever a search passes it (decision 126). A table with an index of its own has only the key there. Other engines have that already.
 */
export const rowsOfTheLog = (t: Dialect): readonly string[] =>
  t.clustered === ''
    ? []
    : [
        `CREATE TABLE log_rows (
          run_no ${t.integer} NOT NULL,
          first_seq ${t.integer} NOT NULL,
          event_count ${t.integer} NOT NULL,
          at ${t.integer} NOT NULL,
          ordinal ${t.integer},
          repeats ${t.integer},
          result ${t.text},
          events ${t.text},
          PRIMARY KEY (run_no, first_seq)
        )`,
        'INSERT INTO log_rows SELECT * FROM log_entries ORDER BY run_no, first_seq',
        'DROP TABLE log_entries',
        'ALTER TABLE log_rows RENAME TO log_entries',
      ];
