import type { Dialect } from '../dialect.js';

/**
 * What serves, who asked for it, and until when a run waits for an answer.
 *
 * The deployments of an agent are one document with a `revision`, so that a change decided on an older picture can be
 * told from one that was not. Texts of the audit are plain columns and not JSON: an operator who looks for a
 * forged record has to be able to read every one of them, whatever the forger put there.
 */
export const deploymentsAndAudit = (t: Dialect): readonly string[] => [
  `CREATE TABLE deployments (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    agent_id ${t.text} NOT NULL,
    revision ${t.integer} NOT NULL,
    document ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, agent_id)
  )`,
  `CREATE TABLE audit (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    seq ${t.integer} NOT NULL,
    at ${t.integer} NOT NULL,
    principal ${t.text} NOT NULL,
    action ${t.text} NOT NULL,
    resource ${t.text} NOT NULL,
    allowed ${t.integer} NOT NULL,
    reason ${t.text},
    run_id ${t.text},
    previous ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, seq)
  )${t.clustered}`,
  ...t.appendOnly('audit', ['tenant', 'workspace', 'seq']),
  `ALTER TABLE runs ADD COLUMN wait_until ${t.integer}`,
  `ALTER TABLE runs ADD COLUMN waiting_node ${t.text}`,
  `CREATE INDEX runs_waiting ON runs (origin, run_no)
    WHERE status IN ('waiting-approval', 'waiting-input', 'waiting-external')`,
  `CREATE TABLE secrets (
    name ${t.text} NOT NULL PRIMARY KEY,
    secret ${t.text} NOT NULL
  )`,
];
