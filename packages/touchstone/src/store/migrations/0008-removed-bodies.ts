import type { Dialect } from '../dialect.js';

/**
 * Since when the content of a run is gone, the digest of the log as it was with it, and from which ordinal on its rows still
 * hold some. Few rows have the last one, so its index is empty most of the time.
 */
export const removedBodies = (t: Dialect): readonly string[] => [
  `ALTER TABLE runs ADD COLUMN bodies_removed_at ${t.integer}`,
  `ALTER TABLE runs ADD COLUMN log_digest ${t.text}`,
  `ALTER TABLE runs ADD COLUMN bodies_left ${t.integer}`,
  'CREATE INDEX runs_with_bodies_left ON runs (run_no) WHERE bodies_left IS NOT NULL',
];
