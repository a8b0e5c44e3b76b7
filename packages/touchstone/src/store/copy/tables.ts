/**
 * A table and the columns that name a row of it, in the order in which tables are copied: what is referred to comes first. One
 * without such columns is copied anew each time.
 */
export type StoredTable = {
  readonly table: string;
  readonly key: readonly string[];
  /** Numbers its rows by itself. */
  readonly isNumbered?: true;
};

const OWNER = ['tenant', 'workspace'];

export const STORED_TABLES: readonly StoredTable[] = [
  { table: 'runs', key: ['run_no'], isNumbered: true },
  { table: 'run_requests', key: ['run_no'] },
  { table: 'run_outcomes', key: ['run_no'] },
  { table: 'records', key: ['run_no', 'ordinal', 'repeat'] },
  { table: 'log_entries', key: ['run_no', 'first_seq'] },
  { table: 'ledger', key: [] },
  { table: 'suites', key: ['suite_no'], isNumbered: true },
  { table: 'suite_versions', key: [...OWNER, 'suite_id', 'version'] },
  { table: 'suite_chunks', key: ['suite_no', 'first_ordinal'] },
  { table: 'suite_contracts', key: [...OWNER, 'suite_digest'] },
  { table: 'contracts', key: [...OWNER, 'digest'] },
  { table: 'suite_signatures', key: [...OWNER, 'suite_digest'] },
  { table: 'judges', key: [...OWNER, 'digest'] },
  { table: 'judge_versions', key: [...OWNER, 'judge_id', 'version'] },
  { table: 'calibrations', key: [...OWNER, 'record_id'] },
  { table: 'bound_agents', key: [...OWNER, 'agent_id', 'version'] },
  { table: 'packs', key: [...OWNER, 'name', 'version'] },
  { table: 'withdrawn_packs', key: [...OWNER, 'name', 'version'] },
  { table: 'memory_entries', key: [...OWNER, 'agent_id', 'entry_id'] },
  { table: 'model_responses', key: [...OWNER, 'question'] },
  { table: 'annotations', key: ['annotation_no'], isNumbered: true },
  { table: 'webhooks', key: ['webhook_no'], isNumbered: true },
  { table: 'blessings', key: ['blessing_no'], isNumbered: true },
  { table: 'scorecards', key: [...OWNER, 'run_id'] },
  { table: 'deployments', key: [...OWNER, 'agent_id'] },
  { table: 'audit', key: [...OWNER, 'seq'] },
  { table: 'audit_checkpoints', key: [...OWNER, 'seq', 'key_id'] },
  { table: 'secrets', key: ['name'] },
  { table: 'api_keys', key: ['key_hash'] },
  { table: 'sessions', key: ['session_hash'] },
  { table: 'workers', key: ['worker'] },
  { table: 'paces', key: ['name'] },
  { table: 'buckets', key: ['name'] },
  { table: 'work', key: ['run_no'] },
  { table: 'assignments', key: ['run_no', 'place'] },
  { table: 'claims', key: ['run_no', 'epoch', 'first_unit'] },
  { table: 'idempotency', key: [...OWNER, 'operation', 'caller_key'] },
  // Last: while other tables are filled, the engine counts their bytes here.
  { table: 'stored_bytes', key: [] },
];
