import type { Json } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { AgentHost, Answer, Invocation } from '../../../ports/index.js';
import type { HttpRun } from '../../spec/run-spec.js';
import { createTemplate, MissingVariable, type Template } from '../../templates/render.js';
import { templateVariables } from '../../templates/variables.js';
import { failed } from '../answers.js';
import type { Ask } from '../turns.js';
import { type Reading, readMapped } from './mapped-response.js';

/** Asks a service in its own words: one request, one answer. Its tools are its own, and so is what it calls. */
export async function askMapped(
  request: Template,
  reading: Reading,
  invocation: Invocation,
  host: AgentHost,
  ask: Ask,
): Promise<Answer> {
  const body = render(request, invocation);
  if ('problem' in body) return failed(body.problem);
  const reply = await ask(body.text);
  if (reply.kind !== 'text') return reply;
  const { usage, calls, answer } = readMapped(reply.text, reading);
  // Money first: what was spent is on record before anything that it bought is used.
  if (usage.length > 0) await host.spend(usage);
  for (const { toolId, inputs, outcome } of calls) host.observe(toolId, inputs, outcome);
  return answer;
}

/** The template of the request; without one, the input is sent as it is. */
export function requestTemplate({ request = '{{ input }}' }: HttpRun): Template {
  const template = createTemplate(request);
  if ('trouble' in template) throw new Error(`${template.pointer}: ${template.trouble}`);
  return template;
}

function render(
  template: Template,
  { input, memory, invocationId }: Invocation,
): { readonly text: string } | { readonly problem: string } {
  const entries = JSON.parse(JSON.stringify(memory)) as Json;
  const variables = templateVariables(fromBody(input), { memory: entries, conversationId: invocationId });
  try {
    return { text: JSON.stringify(template.render(variables)) };
  } catch (error) {
    if (error instanceof MissingVariable) return { problem: error.message };
    throw error;
  }
}
