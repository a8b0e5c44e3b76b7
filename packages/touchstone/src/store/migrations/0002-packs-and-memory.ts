import type { Dialect } from '../dialect.js';

/**
 * What a pack brings lives where agents and suites live already; a row of `packs` only says that it was installed.
 *
 * Contents of memory and answers of models are free text of others, so they are kept as JSON: it can hold every
 * character. `expires_ms` is `expires_at` as a number, because texts of different time zones do not compare.
 */
export const packsAndMemory = (t: Dialect): readonly string[] => [
  `CREATE TABLE packs (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    name ${t.text} NOT NULL,
    version ${t.text} NOT NULL,
    integrity ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    signed_by ${t.text},
    files_signed ${t.integer} NOT NULL,
    agents ${t.text} NOT NULL,
    installed_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, name, version)
  )`,
  `CREATE TABLE memory_entries (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    agent_id ${t.text} NOT NULL,
    entry_id ${t.text} NOT NULL,
    content ${t.text} NOT NULL,
    tags ${t.text} NOT NULL,
    created_at ${t.text} NOT NULL,
    expires_at ${t.text},
    expires_ms ${t.integer},
    written_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, agent_id, entry_id)
  )`,
  'CREATE INDEX memory_by_age ON memory_entries (tenant, workspace, agent_id, written_at, entry_id)',
  `CREATE TABLE model_responses (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    question ${t.text} NOT NULL,
    answer ${t.text} NOT NULL,
    at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, question)
  )`,
];
