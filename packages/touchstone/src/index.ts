// What people import from `touchstone`: an evaluation as a function, types for module agents, and a typed configuration file.
import type { ConfigInput } from './app/config/config.js';
import type { EvaluateOptions, Evaluation } from './cli/evaluate/evaluate-types.js';

export type { ModuleAgent, ModuleContext, ModuleUsage, ToolError } from './agents/index.js';
export type { ConfigInput } from './app/config/config.js';
export type {
  EndedTask,
  EvaluatedCall,
  EvaluatedCriterion,
  EvaluatedTask,
  EvaluateOptions,
  Evaluation,
} from './cli/evaluate/evaluate-types.js';
export type { ScorerFunction, ScorerInput, ScorerResult } from './cli/evaluate/scorer-types.js';
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

/**
 * Runs a suite against an agent, on the same engine as `touchstone run`, and gives back what came of it. Bad input throws
 * a `HostError`; a missed bar does not throw. The engine is loaded with the first call.
 */
export const evaluate = async (options: EvaluateOptions): Promise<Evaluation> =>
  (await import('./cli/evaluate/evaluate.js')).evaluate(options);
