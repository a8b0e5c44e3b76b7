import { defined, type EvalPlan, type Owner } from '@touchstone/protocol';
import { type Environment, foreignSchemas, parseScorers } from '../../agents/index.js';
import type { Checker, Clock, Scoring, Store } from '../../ports/index.js';
import { createScoring } from '../../scoring/index.js';
import { DEFAULT_MAX_TASKS, IMPLEMENTED_MODES } from '../capabilities.js';
import { createContracts } from '../catalogue/contracts.js';
import type { Config } from '../config/config.js';
import { checkSamePolicy, type NamedPolicy } from '../config/safety-policy.js';
import { createJudgeCatalogue } from '../judges/judge-catalogue.js';
import { createJudges } from '../judges/judges.js';
import type { EvalSettings } from '../runs/plan-run.js';
import { createScorers } from '../scorers/scorers.js';
import { type AgentParts, MODULE_MEMORY_MB } from './agents.js';

type ScoringOptions = {
  readonly config: Config;
  readonly store: Store;
  readonly storeOfRuns: Store;
  readonly clock: Clock;
  readonly env: Environment;
  readonly origin: 'host' | 'cli';
  readonly safety: NamedPolicy;
  readonly agents: AgentParts;
  readonly isOnlyTenant: (tenant: string) => boolean;
  readonly modulesApart: boolean;
  /** Makes the checks of runs. */
  readonly checkerFor: (owner: Owner) => Checker;
};

/** Builds what scores answers: judges, contracts, and the scoring of one run. */
export function composeScoring(options: ScoringOptions) {
  const { config, store, clock, env, origin, safety, agents, isOnlyTenant, checkerFor } = options;
  const { models, holdsSecret, tools, redact, openEmbedder } = agents;
  const catalogue = createJudgeCatalogue(store, clock);
  const judges = createJudges({
    ...{ config, models, store: options.storeOfRuns, clock, holdsSecret, catalogue, origin },
  });
  /** Why an owner may not use a model by this name. */
  const modelIssue = (owner: Owner, name: string): string | undefined => {
    if (name === config.judge?.model) return undefined;
    const choice = models.choose(owner, { name });
    return choice.kind === 'none' ? choice.reason : undefined;
  };
  const contracts = createContracts({
    config,
    store,
    models,
    chooseJudge: judges.choose,
    // The operator at the machine may use any of its models.
    modelIssue: origin === 'cli' ? () => undefined : modelIssue,
  });
  const scorers = createScorers({
    specs: new Map(parseScorers(config.scorers)),
    functions: agents.functions,
    env,
    baseDir: config.baseDir,
    isOnlyTenant,
    clock,
    ...(options.modulesApart && { memoryMb: MODULE_MEMORY_MB }),
  });
  const openScoring = async (owner: Owner, plan: EvalPlan): Promise<Scoring> => {
    checkSamePolicy(safety, plan);
    const check = checkerFor(owner);
    return createScoring({
      modes: plan.modes,
      check,
      schemas: foreignSchemas,
      tierOf: tools.tierOf,
      policy: safety.policy,
      redact,
      ...(plan.judge && { judge: await judges.open(owner, plan.judge, plan) }),
      ...(plan.safetyJudge && { safetyJudge: await judges.open(owner, plan.safetyJudge, plan) }),
      ...(plan.contract && { contract: (await contracts.pinned(owner, plan.contract)).contract }),
      ...(plan.embedder && { embedder: openEmbedder(plan.embedder) }),
      ...(plan.scorers && { scorers: scorers.open(plan.scorers) }),
    });
  };
  return { judges, judgeCatalogue: catalogue, modelIssue, contracts, scorers, openScoring };
}

/** In-process there is no task limit; a host has one unless it is configured otherwise. */
export function evalSettings(config: Config, origin: 'host' | 'cli'): EvalSettings | undefined {
  if (config.evalSuite === false) return undefined;
  const { modes = IMPLEMENTED_MODES, maxTasksPerSuite, maxCostUsdPerSuite } = config.evalSuite;
  const maxTasks = maxTasksPerSuite ?? (origin === 'host' ? DEFAULT_MAX_TASKS : undefined);
  return {
    modes: IMPLEMENTED_MODES.filter((mode) => modes.includes(mode)),
    ...defined({ maxTasks, ceilingUsd: maxCostUsdPerSuite }),
  };
}
