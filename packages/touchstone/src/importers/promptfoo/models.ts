import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside } from '../documents.js';
import type { ItemCollector, SourcePointer } from '../imported.js';
import { lookUp } from '../nodes.js';

/** The name of each parameter there and here. */
const PARAMETERS: { readonly [name: string]: string } = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  seed: 'seed',
  stop: 'stop',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  reasoning_effort: 'reasoningEffort',
};

const SECRETS: ReadonlySet<string> = new Set(['apiKey', 'organization']);

type Model = { readonly provider: string; readonly model: string; readonly entry?: JsonObject };

const OLLAMA: JsonObject = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' };

/** `openai:chat:gpt-4o`: the kind of endpoint may stand between the vendor and the model. */
const ID = /^(openai|anthropic|google|ollama):(?:(?:chat|completion|responses|messages):)?([^\s]+)$/;

export function modelOf(id: string): Model | undefined {
  const [, vendor, model] = ID.exec(id) ?? [];
  if (vendor === undefined || model === undefined) return undefined;
  if (/^(?:embeddings?|image|realtime|moderation|transcription|video):?/.test(model)) return undefined;
  return { provider: vendor, model, ...(vendor === 'ollama' && { entry: OLLAMA }) };
}

/** The run of an agent that is a model. What the configuration says besides is lost, member by member. */
export function modelRun(
  { provider, model }: Model,
  config: Json | undefined,
  at: SourcePointer,
  items: ItemCollector,
): JsonObject {
  const members = isObject(config) ? config : {};
  const parameters: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(members)) {
    const known = lookUp(PARAMETERS, name);
    if (known !== undefined) parameters[known] = value;
    else if (!ENDPOINT.has(name)) loseMember(name, inside(at, name), items);
  }
  const { apiBaseUrl, apiKeyEnvar } = members;
  const endpoint =
    typeof apiBaseUrl === 'string'
      ? { baseUrl: apiBaseUrl, ...(typeof apiKeyEnvar === 'string' && { apiKeyEnv: apiKeyEnvar }) }
      : { provider };
  return { kind: 'openai', ...endpoint, model, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

const ENDPOINT: ReadonlySet<string> = new Set(['apiBaseUrl', 'apiKeyEnvar']);

function loseMember(name: string, at: SourcePointer, items: ItemCollector): void {
  if (SECRETS.has(name))
    items.note(at, `${name} of a provider: not copied, set the variable of the provider`);
  else items.lost(at, `${name} of a provider`);
}
