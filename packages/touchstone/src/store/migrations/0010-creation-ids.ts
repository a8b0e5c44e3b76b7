import type { Dialect } from '../dialect.js';

/** What a request with an Idempotency-Key creates is named after its claim, and which process executes it. */
export const creationIds = (t: Dialect): readonly string[] => [
  `ALTER TABLE idempotency ADD COLUMN creation_id ${t.text}`,
  `ALTER TABLE idempotency ADD COLUMN claimed_by ${t.text}`,
];
