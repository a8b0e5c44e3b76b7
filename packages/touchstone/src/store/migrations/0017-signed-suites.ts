import type { Dialect } from '../dialect.js';

/**
 * Who has signed a suite, by its digest: a key in an envelope of its own, or the key of a pack that signs all of its files.
 * And what hosts have signed of their audit logs; a checkpoint is as lasting as the records that it is about.
 */
export const signedSuites = (t: Dialect): readonly string[] => [
  `CREATE TABLE suite_signatures (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    suite_digest ${t.text} NOT NULL,
    key_id ${t.text} NOT NULL,
    envelope ${t.text},
    pack ${t.text},
    signed_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, suite_digest)
  )`,
  `CREATE TABLE audit_checkpoints (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    seq ${t.integer} NOT NULL,
    key_id ${t.text} NOT NULL,
    head ${t.text} NOT NULL,
    at ${t.integer} NOT NULL,
    envelope ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, seq, key_id)
  )${t.clustered}`,
  ...t.appendOnly('audit_checkpoints', ['tenant', 'workspace', 'seq', 'key_id']),
];
