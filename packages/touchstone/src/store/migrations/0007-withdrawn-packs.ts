import type { Dialect } from '../dialect.js';

/**
 * Versions of packs that were removed or revoked. A row outlives the pack: what was installed under a version once is all
 * that may be installed under it, and a revoked version stays revoked. `digest` is unknown for what was never installed.
 */
export const withdrawnPacks = (t: Dialect): readonly string[] => [
  `CREATE TABLE withdrawn_packs (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    name ${t.text} NOT NULL,
    version ${t.text} NOT NULL,
    digest ${t.text},
    revoked ${t.integer} NOT NULL,
    withdrawn_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, name, version)
  )`,
];
