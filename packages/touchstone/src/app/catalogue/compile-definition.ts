import {
  type CompileProfile,
  defined,
  type Issue,
  isHostError,
  type Owner,
  validationError,
} from '@touchstone/protocol';
import type { Slots } from '../../ports/index.js';
import { type CompileOptions, type DefinitionAgent, parseDefinition } from '../../profiles/index.js';
import type { CompiledProfile, Profiles } from './profiles.js';

export type CompiledDefinition = CompiledProfile & { readonly installed?: 'created' | 'same' };

/** Compiles what a tenant sends. Its dataset is the tenant's choice, so it is read under the tenant's rules. */
export async function compileDefinition(
  profiles: Profiles,
  owner: Owner,
  wish: CompileProfile,
): Promise<CompiledDefinition> {
  const { definition, rows, install } = wish;
  const loaded = readDefinition(definition);
  const agent = profiledAgent(loaded.agents, wish.agent);
  const request = {
    agent,
    ...(rows && { rows }),
    from: { trust: 'tenant' as const, tenant: owner.tenant },
    owner,
    options: optionsOf(wish),
  };
  const compiled = await profiles.compile(request).catch((error) => {
    throw inRequest(error);
  });
  const result = { ...compiled, warnings: [...loaded.warnings, ...compiled.warnings] };
  return install ? { ...result, installed: await profiles.install(owner, compiled) } : result;
}

type Compile = (owner: Owner, wish: CompileProfile) => Promise<CompiledDefinition>;

/** The same, for each tenant a few at a time: each holds a connection to a dataset, and what it has read of it. */
export const inSlots =
  (slots: Slots, compile: Compile): Compile =>
  async (owner, wish) => {
    const leave = await slots.enter(owner.tenant, 'compilations', new AbortController().signal);
    try {
      return await compile(owner, wish);
    } finally {
      leave?.();
    }
  };

const optionsOf = ({ targetAgentId, scope, org, suiteName }: CompileProfile): CompileOptions => ({
  ...defined({ targetAgentId, scope, org }),
  ...(suiteName !== undefined && { name: suiteName }),
});

/** Pointers lead into the definition; what is wrong with all of it is wrong with a member of the request. */
function readDefinition(definition: CompileProfile['definition']): ReturnType<typeof parseDefinition> {
  try {
    return parseDefinition(definition);
  } catch (error) {
    throw inRequest(error, { '': '/definition' });
  }
}

type Members = { readonly [pointer: string]: string };

const OPTIONS: Members = {
  '/options/targetAgentId': '/targetAgentId',
  '/options/scope': '/scope',
  '/options/org': '/org',
  '/options/name': '/suiteName',
};

/** What the compiler calls an option is a member of the request. */
function inRequest(error: unknown, members: Members = OPTIONS): unknown {
  if (!isHostError(error) || error.code !== 'validation_error') return error;
  const {
    issues,
    field: _,
    ...details
  } = error.details as {
    readonly issues: readonly Issue[];
    readonly field?: string;
  };
  return validationError(
    issues.map((issue) => ({ ...issue, pointer: members[issue.pointer] ?? issue.pointer })),
    details,
  );
}

/** The one agent that is meant: by name, or because no other has a profile. */
export function profiledAgent(agents: readonly DefinitionAgent[], wanted?: string): DefinitionAgent {
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
  const isBare = !only && wanted === undefined;
  throw validationError(
    [{ pointer: wanted === undefined ? '/definition' : '/agent', message }],
    isBare ? { code: 'no_profile' } : {},
  );
}
