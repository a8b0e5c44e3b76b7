import type { Dialect } from '../dialect.js';

/**
 * `runs` is rewritten with every commit of a run, so it holds small columns only; plan and request, which may be large,
 * never change and live in `run_requests`.
 *
 * A record is written once and read by (run, ordinal, repeat). The two tables that every task writes to have no
 * reference to `runs` to look up: every write to them checks the run's row anyway, and a run's row is the last to be
 * deleted of it.
 * `log_entries` gives a record a place in the run's history: an entry is either loose events, kept inline, or a step that stands for its records and its result.
 */
export const firstTables = (t: Dialect): readonly string[] => [
  `CREATE TABLE runs (
    run_no ${t.insertedKey},
    run_id ${t.text} NOT NULL UNIQUE,
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    principal ${t.text} NOT NULL,
    origin ${t.text} NOT NULL,
    workflow_id ${t.text} NOT NULL,
    agent_id ${t.text},
    suite_id ${t.text},
    scope_id ${t.text},
    status ${t.text} NOT NULL,
    created_at ${t.integer} NOT NULL,
    started_at ${t.integer},
    completed_at ${t.integer},
    paused_at ${t.integer},
    paused_ms ${t.integer} NOT NULL,
    control_kind ${t.text},
    control ${t.text},
    error ${t.text},
    headline ${t.text},
    event_count ${t.integer} NOT NULL,
    engine_version ${t.integer} NOT NULL,
    lease_token ${t.integer} NOT NULL,
    lease_holder ${t.text},
    lease_until ${t.integer},
    spent_usd ${t.real} NOT NULL,
    unpriced_calls ${t.integer} NOT NULL
  )`,
  'CREATE INDEX runs_by_age ON runs (tenant, workspace, created_at, run_no)',
  'CREATE INDEX runs_by_agent ON runs (tenant, workspace, agent_id, created_at, run_no)',
  'CREATE INDEX runs_by_suite ON runs (tenant, workspace, suite_id, created_at, run_no)',
  'CREATE INDEX runs_by_status ON runs (tenant, workspace, status, created_at, run_no)',
  'CREATE INDEX runs_by_scope ON runs (tenant, workspace, scope_id) WHERE scope_id IS NOT NULL',
  `CREATE INDEX runs_unfinished ON runs (origin, run_no)
    WHERE status IN ('pending', 'running', 'cancelling', 'paused')`,
  `CREATE TABLE run_requests (
    run_no ${t.integer} NOT NULL PRIMARY KEY REFERENCES runs (run_no),
    plan ${t.text} NOT NULL,
    request ${t.text} NOT NULL
  )`,
  `CREATE TABLE records (
    run_no ${t.integer} NOT NULL,
    ordinal ${t.integer} NOT NULL,
    repeat ${t.integer} NOT NULL,
    event_count ${t.integer} NOT NULL,
    sealed_at ${t.integer} NOT NULL,
    score ${t.text},
    bodies ${t.text},
    events ${t.text} NOT NULL,
    UNIQUE (run_no, ordinal, repeat)
  )`,
  `CREATE TABLE log_entries (
    run_no ${t.integer} NOT NULL,
    first_seq ${t.integer} NOT NULL,
    event_count ${t.integer} NOT NULL,
    at ${t.integer} NOT NULL,
    ordinal ${t.integer},
    repeats ${t.integer},
    result ${t.text},
    events ${t.text},
    PRIMARY KEY (run_no, first_seq)
  )${t.clustered}`,
  `CREATE TABLE ledger (
    run_no ${t.integer} NOT NULL REFERENCES runs (run_no),
    at ${t.integer} NOT NULL,
    provider ${t.text} NOT NULL,
    model ${t.text} NOT NULL,
    input_tokens ${t.integer} NOT NULL,
    output_tokens ${t.integer} NOT NULL,
    cost_usd ${t.real}
  )`,
  'CREATE INDEX ledger_by_run ON ledger (run_no)',
  `CREATE TABLE suites (
    suite_no ${t.insertedKey},
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    head ${t.text} NOT NULL,
    UNIQUE (tenant, workspace, digest)
  )`,
  `CREATE TABLE suite_versions (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    suite_id ${t.text} NOT NULL,
    version ${t.text} NOT NULL,
    suite_no ${t.integer} NOT NULL REFERENCES suites (suite_no),
    installed_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, suite_id, version)
  )${t.clustered}`,
  `CREATE TABLE suite_chunks (
    suite_no ${t.integer} NOT NULL REFERENCES suites (suite_no),
    first_ordinal ${t.integer} NOT NULL,
    task_ids ${t.text} NOT NULL,
    tasks ${t.text} NOT NULL,
    PRIMARY KEY (suite_no, first_ordinal)
  )`,
  `CREATE TABLE bound_agents (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    agent_id ${t.text} NOT NULL,
    version ${t.text} NOT NULL,
    digest ${t.text} NOT NULL,
    spec ${t.text} NOT NULL,
    installed_at ${t.integer} NOT NULL,
    PRIMARY KEY (tenant, workspace, agent_id, version)
  )`,
  `CREATE TABLE api_keys (
    key_hash ${t.text} NOT NULL PRIMARY KEY,
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    principal ${t.text} NOT NULL,
    roles ${t.text} NOT NULL,
    created_at ${t.integer} NOT NULL,
    expires_at ${t.integer},
    revoked_at ${t.integer}
  )`,
  `CREATE TABLE idempotency (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    operation ${t.text} NOT NULL,
    caller_key ${t.text} NOT NULL,
    request_digest ${t.text} NOT NULL,
    claimed_until ${t.integer} NOT NULL,
    keep_ms ${t.integer} NOT NULL,
    expires_at ${t.integer} NOT NULL,
    response ${t.text},
    PRIMARY KEY (tenant, workspace, operation, caller_key)
  )`,
  'CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)',
];
