import type { AuditEntry, AuditRecord, Owner } from '@touchstone/protocol';

/** Append-only: what is written can neither be changed nor removed through this port, nor by plain SQL. */
export type Audit = {
  /** One chain per owner; two processes that append at once both get in, one after the other. */
  append(owner: Owner, entry: AuditEntry): Promise<AuditRecord>;
  /** Records with `seq` > `after` (the first is 1), in order. */
  read(owner: Owner, after: number, limit: number): Promise<readonly AuditRecord[]>;
  last(owner: Owner): Promise<AuditRecord | undefined>;
  /** Every owner with a chain; for the operator at the machine. */
  owners(): Promise<readonly Owner[]>;
};
