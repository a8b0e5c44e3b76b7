import type { JsonObject } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import type { AgentEntry, AgentInventory, ToolEntry } from '../types.js';
import { at, type Get, type Reading, VENDOR } from './calls.js';

/** Calls on agents. */
export function agentCalls(transport: Transport, get: Get) {
  return {
    /** The agents that the caller can run: one entry per agent, its highest version. */
    list: (reading?: Reading): Promise<AgentInventory> => get('/v1/agents', reading),
    /** One agent of the inventory, by its id without a version. */
    get: (agentId: string, reading?: Reading): Promise<AgentEntry> =>
      get(`/v1/agents/${at(agentId)}`, reading),
    /**
     * Binds one version of a tenant's own agent. The same version with other settings is refused with `conflict`.
     * @param spec An entry of `agents` as in the configuration, of a kind that a tenant may bind.
     */
    bind: (agentId: string, spec: JsonObject, reading?: Reading): Promise<JsonObject> =>
      transport.json({ method: 'PUT', path: `${VENDOR}/agents/${at(agentId)}`, body: spec, ...reading }),
  };
}

/** Calls on the tool catalogue. */
export function toolCalls(get: Get) {
  return {
    /** All tools that agents may be given on this host. */
    list: (reading?: Reading): Promise<readonly ToolEntry[]> => get('/v1/tools', reading),
    /** One tool, by its id `<scope>:<tool>`. */
    get: (toolId: string, reading?: Reading): Promise<ToolEntry> => get(`/v1/tools/${at(toolId)}`, reading),
  };
}
