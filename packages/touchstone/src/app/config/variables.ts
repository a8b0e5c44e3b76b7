import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { type Environment, fillIn, handOver, type Incomplete } from '../../agents/index.js';
import type { Config } from './config.js';

/** Entries that name variables which are not set. */
type Unset = ReadonlyMap<string, Incomplete>;

/** The parts of a configuration that other modules read, with variables filled in. Entries that lack one are left out. */
export type FilledParts = {
  readonly providers: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly mcpServers: JsonObject;
  readonly unset: { readonly providers: Unset; readonly tools: Unset; readonly mcpServers: Unset };
};

export function fillInParts(
  { providers, tools, mcpServers }: Pick<Config, 'providers' | 'tools' | 'mcpServers'>,
  env: Environment,
): FilledParts {
  const filledProviders = fillInEntries(Object.entries(providers), env);
  const filledServers = fillInEntries(Object.entries(mcpServers), env);
  const filledTools = fillInEntries(
    tools.map((tool) => [tool.toolId, tool as JsonObject]),
    env,
  );
  return {
    providers: Object.fromEntries(filledProviders.complete),
    tools: filledTools.complete.map(([, tool]) => tool as JsonObject),
    mcpServers: Object.fromEntries(filledServers.complete),
    unset: { providers: filledProviders.unset, tools: filledTools.unset, mcpServers: filledServers.unset },
  };
}

type Entries = readonly (readonly [name: string, entry: Json])[];

function fillInEntries(
  entries: Entries,
  env: Environment,
): { readonly complete: Entries; readonly unset: Unset } {
  const filled = entries.map(([name, entry]) => ({ name, ...fillIn(entry, env) }));
  const isComplete = ({ unset }: { readonly unset: readonly string[] }): boolean => unset.length === 0;
  return {
    complete: filled
      .filter(isComplete)
      .map(({ name, value }) => [name, isObject(value) ? handOver(value, env) : value] as const),
    unset: new Map(
      filled
        .filter((entry) => !isComplete(entry))
        .map(({ name, unset, value }) => [name, { variables: unset, ...tenantsOf(value) }]),
    ),
  };
}

const tenantsOf = (entry: Json): Pick<Incomplete, 'tenants'> =>
  isObject(entry) && Array.isArray(entry.tenants) ? { tenants: entry.tenants.map(String) } : {};
