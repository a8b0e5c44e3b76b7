// What people import from `touchstone`: types for module agents, and a typed configuration file.
import type { ConfigInput } from './host/config.js';

export type { ModuleAgent, ModuleContext, ModuleUsage, ToolError } from './agents/index.js';
export type { ConfigInput } from './host/config.js';
export {
  agentDefinition,
  agentManifest,
  dumpDefinition,
  dumpProfile,
  evaluationCard,
  evaluationProfile,
  readDefinition,
  successCriterion,
  withChange,
} from './suites/index.js';

/** For `touchstone.config.ts`: gives the editor the shape of the configuration. */
export const defineConfig = (config: ConfigInput): ConfigInput => config;
