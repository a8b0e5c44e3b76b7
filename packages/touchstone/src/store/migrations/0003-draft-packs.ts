import type { Dialect } from '../dialect.js';

/** A pack that is run from its files is kept like an installed one, and must not be taken for one. */
export const draftPacks = (t: Dialect): readonly string[] => [
  `ALTER TABLE packs ADD COLUMN draft ${t.integer} NOT NULL DEFAULT 0`,
];
