import { createHash } from 'node:crypto';
import { canonicalJson, child, type Issue, isObject, type JsonObject } from '@touchstone/protocol';
import type { DefinitionAgent } from '../types.js';
import type { AgentDefinition } from './agent-definition.js';
import { agentsOf, type ManifestAgent, type ManifestV2 } from './manifest.js';
import { below, dump } from './reader.js';
import { withoutV } from './scalars.js';

export type CodedIssue = Issue & { readonly code: string };
type Warn = (warning: CodedIssue) => void;

/** The one agent of a form A definition. */
export function agentOfDefinition(definition: AgentDefinition, warn: Warn): DefinitionAgent {
  const { metadata, config, dependencies, policy, evaluation, status } = definition;
  const systemPrompt = promptOfDefinition(definition);
  return Object.freeze({
    form: 'A',
    id: metadata.id,
    name: metadata.name,
    author: metadata.author,
    version: metadata.version,
    status,
    model: config.model_config.model,
    temperature: config.model_config.temperature,
    ...(systemPrompt !== undefined && { systemPrompt }),
    capabilities: definition.capabilities.map((capability, index) => ({
      name: capability.name,
      ...schemasOf(capability, child('/capabilities', index), warn),
    })),
    tools: dependencies.tools.map((tool) => ('uri' in tool ? tool.uri : tool.name)),
    ...(policy && { budgetCaps: policy.budget_caps }),
    ...(evaluation && { evaluation }),
    sha256: sha256Of(definition),
  });
}

/** The agents of a form B manifest. Each is pinned by the whole manifest, which also holds what it works with. */
export function agentsOfManifest(manifest: ManifestV2, warn: Warn): readonly DefinitionAgent[] {
  const version = withoutV(manifest.metadata.version);
  const sha256 = sha256Of(manifest);
  return agentsOf(manifest).map((agent) =>
    Object.freeze({
      form: 'B',
      id: agent.id,
      name: agent.name,
      ...(agent.model !== null && { model: agent.model }),
      systemPrompt: promptOfAgent(agent),
      capabilities: [
        {
          name: agent.id,
          ...schemasOf(agent.interface, child(below('/definitions', agent.id), 'interface'), warn),
        },
      ],
      tools: agent.tools.map((tool) => ('uri' in tool ? tool.uri : tool.name)),
      ...(agent.evaluation && { evaluation: agent.evaluation }),
      version,
      sha256,
    }),
  );
}

const sha256Of = (definition: object): string =>
  createHash('sha256')
    .update(canonicalJson(dump(definition)))
    .digest('hex');

type Interface = { readonly inputs: JsonObject | null; readonly outputs: JsonObject | null };
type Schemas = { readonly inputs?: JsonObject; readonly outputs?: JsonObject };

const schemasOf = (described: Interface, pointer: string, warn: Warn): Schemas =>
  Object.fromEntries(
    (['inputs', 'outputs'] as const).flatMap((side) => {
      const schema = schemaOf(described[side], child(pointer, side), warn);
      return schema ? [[side, schema]] : [];
    }),
  );

/** An empty schema says nothing, so it counts as none. */
function schemaOf(schema: JsonObject | null, pointer: string, warn: Warn): JsonObject | undefined {
  if (schema === null || Object.keys(schema).length === 0) return undefined;
  if (!isPropertyMap(schema)) return schema;
  const message =
    'This is a map of properties, which as a JSON Schema would accept anything. It is read as {"type":"object","properties":…}.';
  warn({ code: 'bare_properties', pointer, message });
  return { type: 'object', properties: schema };
}

const SCHEMA_KEYWORDS = new Set(
  [
    '$schema $id $ref $defs $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment id',
    'type enum const title description default examples deprecated readOnly writeOnly nullable discriminator example xml',
    'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format',
    'items prefixItems additionalItems unevaluatedItems contains maxItems minItems uniqueItems maxContains minContains',
    'properties patternProperties additionalProperties unevaluatedProperties propertyNames required dependencies',
    'maxProperties minProperties dependentRequired dependentSchemas definitions allOf anyOf oneOf not if then else',
    'contentEncoding contentMediaType contentSchema externalDocs',
  ].flatMap((line) => line.split(' ')),
);

/** Whether this is a map of properties where a schema was meant: read as a schema, it would accept anything. */
const isPropertyMap = (schema: JsonObject): boolean =>
  Object.entries(schema).every(([key, value]) => !SCHEMA_KEYWORDS.has(key) && isObject(value));

/** The instructions of a form A agent: its system prompt, then its persona. */
function promptOfDefinition({ config }: AgentDefinition): string | undefined {
  const { system_prompt, persona } = config.model_config;
  const directives = persona?.directives.map((line) => `- ${line}`) ?? [];
  const parts = [
    config.system_prompt || system_prompt,
    persona && sentences(`You are ${persona.name}`, persona.description),
    directives.length > 0 && ['Follow these directives:', ...directives].join('\n'),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}

/** Form B has no prompt, only who the agent is and what it is for. */
const promptOfAgent = ({ role, goal, backstory }: ManifestAgent): string =>
  [`Your role: ${role}`, `Your goal: ${goal}`, ...(backstory ? [`Your background: ${backstory}`] : [])]
    .map((line) => sentences(line))
    .join('\n');

const sentences = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (/[.!?…:]$/.test(part) ? part : `${part}.`))
    .join(' ');
