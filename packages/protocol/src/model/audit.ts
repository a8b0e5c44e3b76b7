import type { PrincipalId, ResourceName, RunId, ScopeName } from './ids.js';
import type { Owner } from './owner.js';

/** One decision: a principal asked for something, and was allowed or refused. */
export type AuditEntry = {
  /** When it was decided, in milliseconds since 1970. */
  readonly at: number;
  /** Who asked. */
  readonly principal: PrincipalId;
  /** What for, as the scope that it takes. */
  readonly action: ScopeName;
  /** What it was about. */
  readonly resource: ResourceName;
  /** Whether it was allowed. */
  readonly allowed: boolean;
  /** Why: a label, or the words of a person who approved or rejected. Absent when the roles alone decided. */
  readonly reason?: string;
  /** The run that has the details; absent when the decision belongs to none. */
  readonly runId?: RunId;
};

/** An entry in its place. Each digest covers the one before, so no record can be changed, moved or removed unnoticed. */
export type AuditRecord = AuditEntry & {
  /** Its place in the chain of its owner, from 1 on, without gaps. */
  readonly seq: number;
  /** The digest of the record before; `AUDIT_START` in the first one. */
  readonly previous: string;
  /** SHA-256 of `auditLine`, as `sha256:<hex>`. */
  readonly digest: string;
};

/** What stands before the first record of an owner. */
export const AUDIT_START = `sha256:${'0'.repeat(64)}`;

/**
 * The text whose SHA-256 is a record's digest. Every member has its fixed place, absent ones as null, so that two
 * different entries never have the same text. The format is stored with every record and must not change.
 */
export const auditLine = (owner: Owner, seq: number, previous: string, entry: AuditEntry): string =>
  JSON.stringify([
    owner.tenant,
    owner.workspace,
    seq,
    previous,
    entry.at,
    entry.principal,
    entry.action,
    entry.resource,
    entry.allowed,
    entry.reason ?? null,
    entry.runId ?? null,
  ]);
