import { defined, validationError } from '@touchstone/protocol';
import { type AgentSpec, parseAgentSpec } from '../../agents/index.js';
import { type DefinitionAgent, shortSlugOf } from '../../profiles/index.js';

/** The name under which the agent of a definition is known here, where it is not bound to anything else. */
export const definitionAgentId = ({ author, name, id, form }: DefinitionAgent): string =>
  `local.${part(author ?? 'local')}.${part(form === 'B' ? id : name)}`;

/** A definition as an agent that can be run: its prompt, its model, its schemas. Tools are named, not brought along. */
export function definitionSpec(agent: DefinitionAgent): AgentSpec {
  if (agent.model === undefined && agent.systemPrompt === undefined) throw nothingToRun(agent);
  const handoff = handoffOf(agent);
  return parseAgentSpec(
    {
      agentId: definitionAgentId(agent),
      version: agent.version,
      persona: agent.name.slice(0, 200),
      toolAllowlist: agent.tools.map(toolIdOf).filter((tool) => !/\s/.test(tool)),
      ...(Object.keys(handoff).length > 0 && { handoff }),
      run: {
        kind: 'manifest',
        systemPrompt: agent.systemPrompt ?? `You are ${agent.name}.`,
        ...defined({ model: agent.model, temperature: agent.temperature }),
      },
    },
    'definition',
  );
}

/** Schemas of the one thing it can do. Where it can do several, rows choose, and the contract has the schema of each. */
function handoffOf({ capabilities }: DefinitionAgent): AgentSpec['handoff'] & object {
  const [only, another] = capabilities;
  if (!only || another) return {};
  const { inputs, outputs } = only;
  return { ...(inputs && { taskSchema: inputs }), ...(outputs && { returnSchema: outputs }) };
}

/** Tools without a scope are called as datasets call them. */
const toolIdOf = (tool: string): string => (tool.includes(':') ? tool : `local:${tool}`);

const nothingToRun = ({ id }: DefinitionAgent) =>
  validationError([
    {
      pointer: '',
      message: `The definition of ${id} names neither a model nor a prompt, so nothing here can play it. Name an agent that does, e.g. with --agent.`,
    },
  ]);

/** Parts of an agent id begin with a letter. */
function part(text: string): string {
  const slug = shortSlugOf(text);
  return /^[a-z]/.test(slug) ? slug : `a${slug && `-${slug}`}`;
}
