import { type Issue, isObject, type UnknownObject } from '@touchstone/protocol';

const ROLES: readonly unknown[] = ['skill', 'assistant'];

/**
 * Published packs give their agents a `role`, which the published schema does not know. It is judged here and then set
 * aside, so that the rest can be held against the schema as it is.
 */
export function setRolesAside(manifest: unknown): {
  readonly rest: unknown;
  readonly issues: readonly Issue[];
} {
  if (!isObject(manifest) || !Array.isArray(manifest.agents)) return { rest: manifest, issues: [] };
  const agents: readonly unknown[] = manifest.agents;
  return {
    rest: { ...manifest, agents: agents.map(withoutRole) },
    issues: agents.flatMap((agent, index) => (isObject(agent) ? roleIssues(agent, `/agents/${index}`) : [])),
  };
}

function withoutRole(agent: unknown): unknown {
  if (!isObject(agent)) return agent;
  const { role: _, ...rest } = agent;
  return rest;
}

function roleIssues(agent: UnknownObject, pointer: string): readonly Issue[] {
  if (!Object.hasOwn(agent, 'role')) return [];
  if (!ROLES.includes(agent.role))
    return [{ pointer: `${pointer}/role`, message: `expected one of ${ROLES.join(', ')}` }];
  return agent.role === 'skill' ? skillIssues(agent, pointer) : [];
}

/** A skill is called like a function: it says what goes in and out, and remembers nothing between calls. */
function skillIssues({ handoff, memoryShape }: UnknownObject, pointer: string): readonly Issue[] {
  const shape = isObject(memoryShape) ? memoryShape : {};
  const kept = ['conversation', 'longTerm'].filter((kind) => shape[kind] === true);
  return [
    ...(handoff === undefined
      ? [{ pointer: `${pointer}/handoff`, message: 'required of an agent with the role skill, but missing' }]
      : []),
    ...kept.map((kind) => ({
      pointer: `${pointer}/memoryShape/${kind}`,
      message: 'an agent with the role skill keeps no such memory',
    })),
  ];
}
