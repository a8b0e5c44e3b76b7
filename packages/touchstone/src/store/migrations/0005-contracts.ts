import type { Dialect } from '../dialect.js';

/** Contracts quote their authors, so they are kept as JSON, which can hold every character. */
export const contracts = (t: Dialect): readonly string[] => [
  `CREATE TABLE contracts (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    contract ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, digest)
  )`,
  `CREATE TABLE suite_contracts (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    suite_digest ${t.text} NOT NULL,
    contract_digest ${t.text} NOT NULL,
    attached_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, suite_digest)
  )`,
];
