import type { Db } from '../db.js';
import { textAt } from '../rows.js';

/** At most so many runs are named for each fault. */
const NAMED = 5;

const GAPS = `SELECT DISTINCT u.run_id FROM (
    SELECT run_no, first_seq, LAG(first_seq + event_count, 1, 0) OVER (PARTITION BY run_no ORDER BY first_seq) AS expected
    FROM log_entries) AS placed JOIN runs u ON u.run_no = placed.run_no
  WHERE placed.first_seq <> placed.expected ORDER BY u.run_id LIMIT ${NAMED}`;
const ENDS = `SELECT u.run_id FROM runs u
  WHERE u.event_count <> COALESCE((SELECT SUM(l.event_count) FROM log_entries l WHERE l.run_no = u.run_no), 0)
  ORDER BY u.run_id LIMIT ${NAMED}`;
const UNSEALED = `SELECT DISTINCT u.run_id FROM log_entries l JOIN runs u ON u.run_no = l.run_no
  WHERE l.ordinal IS NOT NULL AND l.repeats <> (
    SELECT COUNT(*) FROM records r WHERE r.run_no = l.run_no AND r.ordinal = l.ordinal)
  ORDER BY u.run_id LIMIT ${NAMED}`;
const LEFT_OVER = `SELECT DISTINCT u.run_id FROM runs u JOIN records r ON r.run_no = u.run_no
  WHERE u.status = 'completed' AND NOT EXISTS (
    SELECT 1 FROM log_entries l WHERE l.run_no = r.run_no AND l.ordinal = r.ordinal)
  ORDER BY u.run_id LIMIT ${NAMED}`;

const RULES: readonly (readonly [sql: string, fault: string])[] = [
  [GAPS, 'The numbers of its events have a gap'],
  [ENDS, 'It counts another number of events than its log holds'],
  [UNSEALED, 'Its log names tasks whose records are missing'],
  [LEFT_OVER, 'It is completed, and a record is not in its log'],
];

/** What the logs of a store at rest must hold to, with the runs that do not. Names ids only. */
export async function checkLogs(db: Db): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [sql, fault] of RULES) {
    const runs = (await db.scan(sql, [])).map((row) => textAt(row, 'run_id'));
    if (runs.length > 0) faults.push(`${fault}: ${runs.join(', ')}.`);
  }
  return faults;
}
