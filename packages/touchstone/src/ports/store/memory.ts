import { type AgentId, asId, type Digest, type Owner, type ToolId } from '@touchstone/protocol';
import type { Body, MemoryEntry } from '@touchstone/protocol/bodies';
import type { OfferedTool } from '../agent.js';

/** Long-term memory, one per owner and agent. What is written here has had its secrets replaced already. */
export type Memory = {
  /** The same id again is the same entry: a repeated write after a crash changes nothing. */
  put(owner: Owner, agentId: AgentId, entry: MemoryEntry, writtenAt: number): Promise<void>;
  /** Entries written at or before `asOf` and not expired at `now`, oldest first. */
  snapshot(owner: Owner, agentId: AgentId, asOf: number, now: number): Promise<readonly MemoryEntry[]>;
};

/** The host's own tool: an agent with long-term memory that lists it may write entries. */
export const MEMORY_TOOL: OfferedTool = {
  toolId: asId<ToolId>('x-host-touchstone:memory.write'),
  description: 'Keeps a note in long-term memory. It can be read from the next run on.',
  inputSchema: {
    type: 'object',
    properties: {
      content: { type: 'string', minLength: 1 },
      tags: { type: 'array', items: { type: 'string' } },
      ttlSeconds: { type: 'integer', minimum: 1 },
    },
    required: ['content'],
    additionalProperties: false,
  },
};

/** Answers of models remembered for repeated development runs, by the digest of the whole question. */
export type Responses = {
  get(owner: Owner, question: Digest): Promise<Body | undefined>;
  put(owner: Owner, question: Digest, answer: Body, at: number): Promise<void>;
};
