import type { AgentId, ToolId } from '../../model/ids.js';
import {
  choice,
  closed,
  count,
  flag,
  fraction,
  id,
  list,
  name,
  published,
  ref,
  set,
  text,
  type Wire,
} from '../schema/build.js';
import { memoryShape } from './parts.js';

const MEMORY_DIMENSIONS = [
  'read',
  'write',
  'search',
  'long-term-durability',
  'compaction',
  'attribution',
  'replay-snapshot',
  'retention',
] as const;

const rosterEntry = closed({
  rosterId: name('The place.'),
  persona: name('Who fills it.'),
  workflows: set(name(), 'What it works on.'),
});

const entry = closed(
  {
    agentId: id<AgentId>('Its name.'),
    persona: text('What people call it.'),
    label: text('A short name; the persona when it has none.'),
    modelClass: text('The kind of model it needs.'),
    packName: text('The pack it came in.'),
    packVersion: text('The version of that pack, and so of the agent.'),
    toolAllowlist: list(id<ToolId>(), 'The tools it may call.'),
    hasHandoffSchemas: flag('Whether its input or output has a schema.'),
  },
  {
    description: text('What it does.'),
    memoryShape: memoryShape('Which kinds of memory it uses.'),
    confidenceThreshold: fraction('Answers less sure than this are escalated.'),
    degraded: list(text(), 'What it needs and this host lacks.'),
    memoryDegraded: flag('Whether its memory works only in part.'),
    degradedMemoryDimensions: set(choice(MEMORY_DIMENSIONS), 'Which part of its memory does not work.'),
    roster: set(rosterEntry, 'The places it fills.'),
  },
  { title: 'AgentInventoryEntry', description: 'One agent. Never its prompt, its schemas or a credential.' },
);
/** One agent of `GET /v1/agents`. */
export type AgentInventoryEntryWire = Wire<typeof entry>;

export const agentInventoryResponse = closed(
  {
    agents: list(ref<typeof entry>('#/$defs/AgentInventoryEntry'), 'Sorted by name.'),
    total: count('How many there are.'),
  },
  {},
  {
    ...published('agent-inventory-response', 'AgentInventoryResponse', 'The agents a caller can see.'),
    $defs: { AgentInventoryEntry: entry },
  },
);
/** Answer of `GET /v1/agents`. */
export type AgentInventoryResponseWire = Wire<typeof agentInventoryResponse>;
