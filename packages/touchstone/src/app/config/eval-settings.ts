import { DEFAULT_MAX_TASKS, IMPLEMENTED_MODES } from '../capabilities.js';
import type { EvalSettings } from '../runs/plan-run.js';
import type { Config } from './config.js';

/** In-process there is no task limit; a host has one unless it is configured otherwise. */
export function evalSettings(config: Config, origin: 'host' | 'cli'): EvalSettings | undefined {
  if (config.evalSuite === false) return undefined;
  const { modes = IMPLEMENTED_MODES, maxTasksPerSuite, maxCostUsdPerSuite } = config.evalSuite;
  const maxTasks = maxTasksPerSuite ?? (origin === 'host' ? DEFAULT_MAX_TASKS : undefined);
  return {
    modes: IMPLEMENTED_MODES.filter((mode) => modes.includes(mode)),
    ...(maxTasks !== undefined && { maxTasks }),
    ...(maxCostUsdPerSuite !== undefined && { ceilingUsd: maxCostUsdPerSuite }),
  };
}
