import type { AgentDeployments, AgentId, AuditEntry, AuditRecord, Owner } from '@touchstone/protocol';

/** What serves. It is changed only together with the events that say so: see `Commit.deployments`. */
export type Deployments = {
  /** Undefined while no version of the agent has been moved. */
  get(owner: Owner, agentId: AgentId): Promise<AgentDeployments | undefined>;
  /** Agents of which a version has been moved, by id. */
  agentIds(owner: Owner): Promise<readonly AgentId[]>;
};

/** Rejection of a change that was decided on an older picture. Nothing of its commit is kept. */
export class DeploymentsMoved extends Error {
  constructor(agentId: AgentId) {
    super(`The deployments of ${agentId} have changed in the meantime.`);
    this.name = 'DeploymentsMoved';
  }
}

/** Append-only: what is written can neither be changed nor removed through this port, nor by plain SQL. */
export type Audit = {
  /** One chain per owner; two processes that append at once both get in, one after the other. */
  append(owner: Owner, entry: AuditEntry): Promise<AuditRecord>;
  /** Records with `seq` > `after` (the first is 1), in order. */
  read(owner: Owner, after: number, limit: number): Promise<readonly AuditRecord[]>;
  /** Some of them, in either order. A cursor is the number of the last record that was read; the order begins without one. */
  list(owner: Owner, query: AuditQuery): Promise<readonly AuditRecord[]>;
  last(owner: Owner): Promise<AuditRecord | undefined>;
  /** One for each record and key; the same again is kept as it was. */
  keepCheckpoint(owner: Owner, checkpoint: KeptCheckpoint): Promise<void>;
  /** Those of records from `fromSeq` on, in order. */
  checkpoints(owner: Owner, fromSeq: number, limit: number): Promise<readonly KeptCheckpoint[]>;
  lastCheckpoint(owner: Owner): Promise<KeptCheckpoint | undefined>;
  /** Every owner with a chain; for the operator at the machine. */
  owners(): Promise<readonly Owner[]>;
};

/** What a host has signed of the audit log of an owner: its head at one moment. */
export type KeptCheckpoint = {
  /** Of the last record that it covers. */
  readonly seq: number;
  readonly keyId: string;
  /** The digest of that record. */
  readonly head: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /** The DSSE envelope. */
  readonly envelope: string;
};

export type AuditQuery = {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly cursor?: number | undefined;
  /** Only records of this run. */
  readonly runId?: string | undefined;
  /** Only records about this agent, one of its versions, or a run of it. */
  readonly agentId?: string | undefined;
};
