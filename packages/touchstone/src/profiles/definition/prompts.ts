import type { AgentDefinition } from './agent-definition.js';
import type { ManifestAgent } from './manifest.js';

/** What an agent of form A is told first: its system prompt, then its persona. */
export function promptOfDefinition({ config }: AgentDefinition): string | undefined {
  const { system_prompt, persona } = config.model_config;
  const prompt = config.system_prompt || system_prompt;
  const parts = [
    ...(prompt ? [prompt] : []),
    ...(persona ? [sentences(`You are ${persona.name}`, persona.description)] : []),
    ...(persona && persona.directives.length > 0
      ? [['Follow these directives:', ...persona.directives.map((line) => `- ${line}`)].join('\n')]
      : []),
  ];
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}

/** Form B has no prompt, only who the agent is and what it is for. */
export const promptOfAgent = ({ role, goal, backstory }: ManifestAgent): string =>
  [
    sentences(`Your role: ${role}`),
    sentences(`Your goal: ${goal}`),
    ...(backstory ? [sentences(`Your background: ${backstory}`)] : []),
  ].join('\n');

const sentences = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (/[.!?…:]$/.test(part) ? part : `${part}.`))
    .join(' ');
