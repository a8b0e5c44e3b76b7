import type { Owner } from '@touchstone/protocol';
import type { Amounts } from './amounts.js';
import type { Annotations } from './annotations.js';
import type { Baselines } from './baselines.js';
import type { Audit, Deployments } from './deployments.js';
import type { Idempotency } from './idempotency.js';
import type { Calibrations, Judges } from './judges.js';
import type { Keys } from './keys.js';
import type { Leases, Ledger } from './leases.js';
import type { Memory, Responses } from './memory.js';
import type { Outcomes } from './outcomes.js';
import type { Paces } from './paces.js';
import type { BoundAgents, Packs } from './packs.js';
import type { Retention } from './retention.js';
import type { RunLog } from './run-log.js';
import type { Runs } from './runs.js';
import type { Sessions } from './sessions.js';
import type { Suites } from './suite-store.js';
import type { Webhooks } from './webhooks.js';
import type { Assignments, Work } from './work.js';
import type { Workers } from './workers.js';

/** Everything durable, one port per concern. Owner first in every call that reads or writes a tenant's rows. */
export type Store = {
  readonly runs: Runs;
  readonly leases: Leases;
  readonly log: RunLog;
  readonly ledger: Ledger;
  readonly outcomes: Outcomes;
  readonly suites: Suites;
  readonly agents: BoundAgents;
  readonly packs: Packs;
  readonly memory: Memory;
  readonly responses: Responses;
  readonly annotations: Annotations;
  readonly baselines: Baselines;
  readonly judges: Judges;
  readonly calibrations: Calibrations;
  readonly webhooks: Webhooks;
  readonly deployments: Deployments;
  readonly audit: Audit;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly idempotency: Idempotency;
  readonly retention: Retention;
  readonly amounts: Amounts;
  readonly workers: Workers;
  readonly paces: Paces;
  /** Runs whose units several processes execute. */
  readonly work: Work;
  readonly assignments: Assignments;
  /** Whether processes of several machines may share it. */
  readonly isShared: boolean;
  /** A secret of this store, made when it is first asked for: what every process on it signs and checks with. */
  secret(name: string): Promise<string>;
  /** Takes back the names of all packs, agents, suites and judges of an owner that are not listed, as `name@version`. */
  retain(owner: Owner, kept: RetainedNames): Promise<void>;
  /** Writes a copy of everything, as it is at this moment, to a new file. Others go on meanwhile. */
  copyTo(file: string): Promise<void>;
  /** Rejects when it cannot be used now: it is away, or its tables are of a release that this program cannot work with. */
  ping(): Promise<void>;
  /** Reads all of it, and says what is damaged, in names of tables and indexes; nothing when all is well. */
  check(): Promise<readonly string[]>;
  /**
   * Whether this process does what has to be done now and then for all of the store. Of several processes that know each
   * other one does; where they do not, each does.
   */
  maintains(): Promise<boolean>;
  /** What an operator should know about the database, although nothing is wrong with it. */
  warnings(): Promise<readonly string[]>;
  /** Holds the logs of all runs against what they promise, for a store at rest; answers what does not hold, by ids of runs. */
  checkLogs(): Promise<readonly string[]>;
  close(): Promise<void>;
};

export type RetainedNames = {
  readonly packs: readonly string[];
  readonly agents: readonly string[];
  readonly suites: readonly string[];
  /** None when absent. */
  readonly judges?: readonly string[];
};
