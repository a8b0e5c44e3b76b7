import type { Dialect } from '../dialect.js';

const own = (row: string): string => `${row}.tenant`;

/** Judges are kept like contracts: once per digest, with a name that points to the latest. */
export const judgesAndCalibrations = (t: Dialect): readonly string[] => [
  `CREATE TABLE judges (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    judge ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, digest)
  )`,
  `CREATE TABLE judge_versions (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    judge_id ${t.text} NOT NULL,
    version ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    installed_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, judge_id, version)
  )`,
  `CREATE TABLE calibrations (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    record_id ${t.text} NOT NULL,
    judge_digest ${t.text} NOT NULL,
    suite_digest ${t.text} NOT NULL,
    at ${t.integer} NOT NULL,
    record ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, record_id)
  )`,
  ...t.counted('judges', ['judge'], own),
  ...t.counted('calibrations', ['record'], own),
];
