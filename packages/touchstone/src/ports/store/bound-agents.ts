import type { AgentId, Digest, JsonObject, Owner, Version } from '@touchstone/protocol';

/** A tenant's own agent as it was bound, `spec` being the `agents[]` object. */
export type BoundAgent = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly digest: Digest;
  readonly spec: JsonObject;
};
export type BoundAgents = {
  put(owner: Owner, agent: BoundAgent, installedAt: number): Promise<'created' | 'same' | 'conflict'>;
  get(owner: Owner, agentId: AgentId, version: Version): Promise<BoundAgent | undefined>;
  versions(owner: Owner, agentId: AgentId): Promise<readonly Version[]>;
  /** For the inventory: the specs come without `run.systemPrompt`, which may be large and must not be shown there. */
  list(owner: Owner): Promise<readonly BoundAgent[]>;
};
