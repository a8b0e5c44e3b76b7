import type { JsonObject } from '@touchstone/protocol';
import { agentEntrySchema } from '../../agents/index.js';
import { configShape } from './config-shape.js';

/**
 * JSON Schema of a configuration file, for editors. It knows more about agents than the shape that a file is checked with:
 * of an agent, the module that opens it checks the rest.
 */
export function configFileSchema(): JsonObject {
  const shape = JSON.parse(JSON.stringify(configShape)) as JsonObject & { readonly properties: JsonObject };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:touchstone:schema:config',
    title: 'Touchstone configuration',
    ...shape,
    properties: { ...shape.properties, agents: { type: 'array', items: agentEntrySchema() } },
  };
}
