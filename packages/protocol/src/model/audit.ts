import type { PrincipalId, ResourceName, RunId, ScopeName } from './ids.js';
import type { Owner } from './owner.js';

/** Someone asked for something, and was let or not. */
export type AuditEntry = {
  readonly at: number;
  readonly principal: PrincipalId;
  readonly action: ScopeName;
  readonly resource: ResourceName;
  readonly allowed: boolean;
  /** Why, in a person's own words or a label. */
  readonly reason?: string;
  /** The run that tells the rest. */
  readonly runId?: RunId;
};

/** An entry in its place. Each one's digest covers the one before, so none can be changed, moved or taken out unseen. */
export type AuditRecord = AuditEntry & {
  readonly seq: number;
  readonly previous: string;
  readonly digest: string;
};

/** What stands before the first record of an owner. */
export const AUDIT_START = `sha256:${'0'.repeat(64)}`;

/** The text whose SHA-256 is a record's digest. Every member has its fixed place, absent ones as null. */
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
