import type { Json } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { Invocation } from '../../ports/index.js';
import { createTemplate, MissingVariable, type Template } from './render.js';
import { templateVariables } from './variables.js';

/** The template of an agent, which was checked when the agent's entry was read. */
export function checkedTemplate(value: Json): Template {
  const template = createTemplate(value);
  if ('trouble' in template) throw new Error(`${template.pointer}: ${template.trouble}`);
  return template;
}

/** A template filled in for one invocation. Memory is not known before it, so a variable may still be missing. */
export function rendered(
  template: Template,
  { input, memory, invocationId }: Invocation,
): { readonly value: Json } | { readonly problem: string } {
  const entries = JSON.parse(JSON.stringify(memory)) as Json;
  const variables = templateVariables(fromBody(input), { memory: entries, conversationId: invocationId });
  try {
    return { value: template.render(variables) };
  } catch (error) {
    if (error instanceof MissingVariable) return { problem: error.message };
    throw error;
  }
}
