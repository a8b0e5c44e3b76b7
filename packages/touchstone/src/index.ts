// What people import from `touchstone`: types for module agents, and a typed configuration file.
import type { ConfigInput } from './app/config/config.js';

export type { ModuleAgent, ModuleContext, ModuleUsage, ToolError } from './agents/index.js';
export type { ConfigInput } from './app/config/config.js';
export {
  agentDefinition,
  agentManifest,
  dumpDefinition,
  dumpProfile,
  evaluationCard,
  evaluationProfile,
  successCriterion,
  withChange,
} from './profiles/definition/builders.js';
export { readDefinition } from './profiles/definition/read-definition.js';

/** For `touchstone.config.ts`: gives the editor the shape of the configuration. */
export const defineConfig = (config: ConfigInput): ConfigInput => config;
