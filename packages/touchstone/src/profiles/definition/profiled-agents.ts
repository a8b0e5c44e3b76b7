import { createHash } from 'node:crypto';
import { canonicalJson, child, type Issue, type Json, type JsonObject } from '@touchstone/protocol';
import type { ProfiledAgent } from '../types.js';
import { type AgentDefinition, agentDefinitionShape } from './agent-definition.js';
import { agentsOf, type ManifestAgent, type ManifestV2, manifestShape } from './manifest.js';
import { withoutV } from './names.js';
import { promptOfAgent, promptOfDefinition } from './prompts.js';
import { isPropertyMap } from './property-map.js';
import { below } from './structures.js';

export type CodedIssue = Issue & { readonly code: string };
type Warn = (warning: CodedIssue) => void;
type Schemas = { readonly inputs?: JsonObject; readonly outputs?: JsonObject };

/** The one agent of a form A definition. */
export function agentOfDefinition(definition: AgentDefinition, warn: Warn): ProfiledAgent {
  const { metadata, config, dependencies, policy, evaluation, status } = definition;
  const prompt = promptOfDefinition(definition);
  return Object.freeze({
    form: 'A',
    id: metadata.id,
    name: metadata.name,
    author: metadata.author,
    version: metadata.version,
    status,
    model: config.model_config.model,
    temperature: config.model_config.temperature,
    ...(prompt !== undefined && { systemPrompt: prompt }),
    capabilities: definition.capabilities.map((capability, index) => ({
      name: capability.name,
      ...schemasOf(capability, child('/capabilities', index), warn),
    })),
    tools: dependencies.tools.map((tool) => ('uri' in tool ? tool.uri : tool.name)),
    ...(policy && { budgetCaps: policy.budget_caps }),
    ...(evaluation && { evaluation }),
    sha256: sha256Of(agentDefinitionShape.write(definition)),
  });
}

/** The agents of a form B manifest. Each is pinned by the whole manifest, which also holds what it works with. */
export function agentsOfManifest(manifest: ManifestV2, warn: Warn): readonly ProfiledAgent[] {
  const whole = {
    version: withoutV(manifest.metadata.version),
    sha256: sha256Of(manifestShape.write(manifest)),
  };
  return agentsOf(manifest).map((agent) => Object.freeze({ ...agentOfManifest(agent, warn), ...whole }));
}

function agentOfManifest(agent: ManifestAgent, warn: Warn): Omit<ProfiledAgent, 'version' | 'sha256'> {
  const { id, name, model, tools, evaluation } = agent;
  const schemas = schemasOf(agent.interface, child(below('/definitions', id), 'interface'), warn);
  return {
    form: 'B',
    id,
    name,
    ...(model !== null && { model }),
    systemPrompt: promptOfAgent(agent),
    capabilities: [{ name: id, ...schemas }],
    tools: tools.map((tool) => ('uri' in tool ? tool.uri : tool.name)),
    ...(evaluation && { evaluation }),
  };
}

type Interface = { readonly inputs: JsonObject | null; readonly outputs: JsonObject | null };

function schemasOf({ inputs, outputs }: Interface, pointer: string, warn: Warn): Schemas {
  const input = schemaOf(inputs, child(pointer, 'inputs'), warn);
  const output = schemaOf(outputs, child(pointer, 'outputs'), warn);
  return { ...(input && { inputs: input }), ...(output && { outputs: output }) };
}

/** An empty schema says nothing, so it counts as none. */
function schemaOf(schema: JsonObject | null, pointer: string, warn: Warn): JsonObject | undefined {
  if (schema === null || Object.keys(schema).length === 0) return undefined;
  if (!isPropertyMap(schema)) return schema;
  warn({
    code: 'bare_properties',
    pointer,
    message:
      'This is a map of properties, which as a JSON Schema would accept anything. It is read as {"type":"object","properties":…}.',
  });
  return { type: 'object', properties: schema };
}

const sha256Of = (definition: Json): string =>
  createHash('sha256').update(canonicalJson(definition)).digest('hex');
