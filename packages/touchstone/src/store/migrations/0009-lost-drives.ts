import type { Dialect } from '../dialect.js';

/** How many drivers of a run were lost in a row, and how long its log was then. A run that loses every driver is given up. */
export const lostDrives = (t: Dialect): readonly string[] => [
  `ALTER TABLE runs ADD COLUMN lost_drives ${t.integer}`,
  `ALTER TABLE runs ADD COLUMN lost_at_event ${t.integer}`,
];
