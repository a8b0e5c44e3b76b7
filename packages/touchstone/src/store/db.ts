import { HostError, type Owner } from '@touchstone/protocol';
import type { Dialect } from './dialect.js';

export type SqlValue = string | number | null;
export type Row = { readonly [column: string]: SqlValue };

/**
 * One statement with `?` placeholders, in SQL that SQLite and PostgreSQL both accept. A `guard` must touch at least one
 * row, or the whole batch it belongs to is undone.
 */
export type Statement = {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly guard?: true;
  /** On one statement of a batch that stores content: the tenant whose content it is. */
  readonly tenant?: string;
  /**
   * Held from before this statement until the batch has ended: no other batch holds the same key meanwhile, but for several
   * that share it. An engine that runs one batch at a time has no use for it.
   */
  readonly lock?: { readonly key: string; readonly shared?: true };
};

/** Rows are filled by queries and RETURNING; `changes` counts rows written, or rows answered. */
export type Outcome = { readonly changes: number; readonly rows: readonly Row[] };

/**
 * All a store needs of a database. Transactions are not interactive: a batch states its conditions as guards instead of
 * reading and deciding in between. Such batches can be grouped into one disk flush, and need one trip over a network.
 */
export type Db = {
  readonly dialect: Dialect;
  all(sql: string, params: readonly SqlValue[]): Promise<readonly Row[]>;
  /** The same for a statement that reads a whole table, and may take as long as it takes. */
  scan(sql: string, params: readonly SqlValue[]): Promise<readonly Row[]>;
  /**
   * Resolves after the batch is durable. Rejects with GuardFailed, or with what the engine said, and nothing is kept; or with
   * OutcomeUnknown. Batches of the same queue take effect in the order of the calls: the queue is the run for what concerns a
   * run. An engine that runs one batch at a time keeps the order of all.
   */
  transaction(batch: readonly Statement[], queue?: string): Promise<readonly Outcome[]>;
  /** A batch that is made while it is written, because it is too long to be held. It has a transaction of its own. */
  load(statements: Iterable<Statement>): Promise<void>;
  /**
   * Gives freed space back to the disk, a part of it; true while there is more. An engine that sees to it by itself answers
   * false.
   */
  reclaim(): Promise<boolean>;
  /** Prepares a database for `reclaim` that was made without it, by writing it anew; does nothing otherwise. */
  rewrite(): Promise<void>;
  /** Writes a copy of the database, as it is now, to a new file. An engine with tools for that refuses, and names them. */
  copyTo(file: string): Promise<void>;
  /** Rejects when the database cannot be used now. */
  ping(): Promise<void>;
  /** What is wrong with the database, in the engine's words; nothing when all is well. An engine that cannot tell answers nothing. */
  check(): Promise<readonly string[]>;
  /** What an operator should know about the database, although nothing is wrong with it. */
  warnings(): Promise<readonly string[]>;
  /** Finishes what was submitted, then lets go of the database. */
  close(): Promise<void>;
};

/** The queue of what concerns an owner and no run in particular. */
export const queueOf = ({ tenant, workspace }: Owner): string => lockKey(tenant, workspace);

/** One text for several names; none of them can end another. */
export const lockKey = (...names: readonly string[]): string => JSON.stringify(names);

/** A guard touched no row. `index` is its place in the batch. */
export class GuardFailed extends Error {
  readonly index: number;

  constructor(index: number) {
    super(`Statement ${index} of the batch touched no row.`);
    this.name = 'GuardFailed';
    this.index = index;
  }
}

/** The database cannot be reached at the moment. Nothing of the batch was sent. */
export class StoreAway extends HostError {
  constructor(message: string, cause: unknown, reason = 'unreachable') {
    super('unavailable', message, { reason, retryAfter: 1 }, cause);
    this.name = 'StoreAway';
  }
}

/** The connection was lost while the batch was on its way: it has been kept whole, or not at all. */
export class OutcomeUnknown extends StoreAway {
  constructor(cause: unknown) {
    super(
      'The connection to the store was lost before it confirmed a write. Try again in a moment; a request with an Idempotency-Key takes effect once.',
      cause,
      'outcome_unknown',
    );
    this.name = 'OutcomeUnknown';
  }
}
