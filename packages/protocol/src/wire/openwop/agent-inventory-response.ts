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

/** Abilities of a memory that an agent may need and a host may lack. */
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

/** A place in a roster that the agent fills. This host has no rosters and sends none. */
const rosterEntry = closed({
  /** The id of the place in the roster. */
  rosterId: name('The place.'),
  /** The name that people see at that place. */
  persona: name('Who fills it.'),
  /** Ids of the workflows that the place works on. */
  workflows: set(name(), 'What it works on.'),
});

/** One agent of the inventory. Never its prompt, its schemas or a credential. */
const entry = closed(
  {
    /** The id that `POST /v1/runs` takes as `agentId`. */
    agentId: id<AgentId>('Its name.'),
    /** The name that people see. */
    persona: text('What people call it.'),
    /** A short name for lists; equal to `persona` when the manifest has none. */
    label: text('A short name; the persona when it has none.'),
    /** The class of model that the agent asks for; `general` when it declares none. */
    modelClass: text('The kind of model it needs.'),
    /** The pack that the agent was installed with; `local` for an agent of the configuration. */
    packName: text('The pack it came in.'),
    /** The version of the agent: an agent in a pack has the version of its pack. */
    packVersion: text('The version of that pack, and so of the agent.'),
    /** Ids of the tools that the agent may call; empty when it may call none. */
    toolAllowlist: list(id<ToolId>(), 'The tools it may call.'),
    /** Whether the agent declares a schema of its input, of its answer, or of both. */
    hasHandoffSchemas: flag('Whether its input or output has a schema.'),
  },
  {
    /** What the agent does, in its author's words; absent when the author wrote none. */
    description: text('What it does.'),
    /** The kinds of memory that the agent uses; absent when it declares none. */
    memoryShape: memoryShape('Which kinds of memory it uses.'),
    /**
     * Answers less sure than this are escalated. From 0 to 1. An invocation whose confidence is below it ends as
     * `escalated`; 0.7 when absent.
     */
    confidenceThreshold: fraction('Answers less sure than this are escalated.'),
    /** Capabilities that the agent requires and this host lacks; absent when it lacks none. */
    degraded: list(text(), 'What it needs and this host lacks.'),
    /** Present when the agent asks for memory that this host offers only in part. */
    memoryDegraded: flag('Whether its memory works only in part.'),
    /** The abilities of that memory which are missing. */
    degradedMemoryDimensions: set(choice(MEMORY_DIMENSIONS), 'Which part of its memory does not work.'),
    /** The places in rosters that the agent fills; absent on this host. */
    roster: set(rosterEntry, 'The places it fills.'),
  },
  { title: 'AgentInventoryEntry', description: 'One agent. Never its prompt, its schemas or a credential.' },
);
/** One agent of `GET /v1/agents`. */
export type AgentInventoryEntryWire = Wire<typeof entry>;

/** The protocol's schema of the agent list. */
export const agentInventoryResponse = closed(
  {
    /** One entry per agent that the caller can see, sorted by id. */
    agents: list(ref<typeof entry>('#/$defs/AgentInventoryEntry'), 'Sorted by name.'),
    /** The number of entries in `agents`; the list is never cut. */
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
