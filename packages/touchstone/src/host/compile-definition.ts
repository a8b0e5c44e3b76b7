import { type JsonObject, type Owner, validationError } from '@touchstone/contract';
import { type ProfiledAgent, parseDefinition } from '../suites/index.js';
import type { CompiledProfile, ProfileDesk } from './profiles.js';

/** What a tenant sends. Its dataset is the tenant's choice, so it is read under the tenant's rules. */
export type CompileWish = {
  readonly definition: JsonObject;
  readonly rows?: readonly unknown[];
  /** Which agent of a manifest with several. */
  readonly agent?: string;
  /** The id that the agent has on the host, which runs of the suite are then meant for. */
  readonly targetAgentId?: string;
  readonly install?: boolean;
};

export type CompiledDefinition = CompiledProfile & { readonly installed?: 'created' | 'same' };

export async function compileDefinition(
  profiles: ProfileDesk,
  owner: Owner,
  { definition, rows, agent: wanted, targetAgentId, install }: CompileWish,
): Promise<CompiledDefinition> {
  const loaded = parseDefinition(definition);
  const agent = profiledAgent(loaded.agents, wanted);
  const compiled = await profiles.compile({
    agent,
    ...(rows && { rows }),
    from: { trust: 'tenant', tenant: owner.tenant },
    ...(targetAgentId !== undefined && { options: { targetAgentId } }),
  });
  const result = { ...compiled, warnings: [...loaded.warnings, ...compiled.warnings] };
  return install ? { ...result, installed: await profiles.install(owner, compiled) } : result;
}

/** The one agent that is meant: by name, or because no other has a profile. */
export function profiledAgent(agents: readonly ProfiledAgent[], wanted?: string): ProfiledAgent {
  const candidates = agents.filter(({ id, evaluation }) =>
    wanted === undefined ? evaluation !== undefined : id === wanted,
  );
  const [only, another] = candidates;
  if (only && !another) return only;
  const known = agents.map(({ id }) => id).join(', ');
  const message = only
    ? `Several agents of the definition have a profile: ${candidates.map(({ id }) => id).join(', ')}. Name one.`
    : wanted === undefined
      ? 'No agent of the definition carries an evaluation profile (member "evaluation").'
      : `The definition has no agent of this id. It has: ${known || 'none'}.`;
  throw validationError([{ pointer: wanted === undefined ? '/definition' : '/agent', message }]);
}
