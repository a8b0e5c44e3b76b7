import type { Owner, RunId } from '@touchstone/protocol';
import type { Usage } from '../usage.js';

/** Money spent, committed before the answer it bought is used. A crash loses no cents. */
export type Ledger = {
  record(owner: Owner, runId: RunId, usage: readonly Usage[]): Promise<void>;
  /** Known cost so far, repeats of crashed invocations included. */
  total(owner: Owner, runId: RunId): Promise<{ readonly usd: number; readonly unpriced: number }>;
};
