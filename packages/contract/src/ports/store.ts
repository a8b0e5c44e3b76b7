import type { BoundAgents } from './bound-agents.js';
import type { Idempotency } from './idempotency.js';
import type { Keys } from './keys.js';
import type { Leases } from './leases.js';
import type { Ledger } from './ledger.js';
import type { RunLog } from './run-log.js';
import type { Runs } from './runs.js';
import type { Suites } from './suite-store.js';

/** Everything durable, one port per concern. Owner first in every call that reads or writes a tenant's rows. */
export type Store = {
  readonly runs: Runs;
  readonly leases: Leases;
  readonly log: RunLog;
  readonly ledger: Ledger;
  readonly suites: Suites;
  readonly agents: BoundAgents;
  readonly keys: Keys;
  readonly idempotency: Idempotency;
  close(): Promise<void>;
};
