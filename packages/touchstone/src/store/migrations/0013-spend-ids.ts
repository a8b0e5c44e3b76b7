import type { Dialect } from '../dialect.js';

/** Names a booking, so that it counts once however often it is sent. Bookings of older programs have no name. */
export const spendIds = (t: Dialect): readonly string[] => [
  `ALTER TABLE ledger ADD COLUMN spend_id ${t.text}`,
  'CREATE UNIQUE INDEX ledger_by_spend ON ledger (run_no, spend_id)',
  'DROP INDEX ledger_by_run',
];
