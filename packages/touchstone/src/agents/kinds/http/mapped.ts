import type { AgentHost, Answer, Invocation } from '../../../ports/index.js';
import type { HttpRun } from '../../spec/run-spec.js';
import { checkedTemplate, rendered } from '../../templates/invocation-template.js';
import type { Template } from '../../templates/render.js';
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
  const body = rendered(request, invocation);
  if ('problem' in body) return failed(body.problem);
  const reply = await ask(JSON.stringify(body.value));
  if (reply.kind !== 'text') return reply;
  const { usage, calls, answer } = readMapped(reply.text, reading);
  // Money first: what was spent is on record before anything that it bought is used.
  if (usage.length > 0) await host.spend(usage);
  for (const { toolId, inputs, outcome } of calls) host.observe(toolId, inputs, outcome);
  return answer;
}

/** The template of the request; without one, the input is sent as it is. */
export const requestTemplate = ({ request = '{{ input }}' }: HttpRun): Template => checkedTemplate(request);
