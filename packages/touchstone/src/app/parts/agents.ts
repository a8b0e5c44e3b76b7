import { type EmbedderPin, HOST_OWNER, MODEL_CLASSES, type Owner } from '@touchstone/protocol';
import {
  createEmbedder,
  createModels,
  createModuleProcesses,
  createTools,
  type HostTools,
  type Models,
  type ModuleAgent,
  parseMcpServers,
  parseModelNames,
  parseProviders,
  parseToolSpecs,
  redactSecrets,
} from '../../agents/index.js';
import {
  createBuckets,
  createGuard,
  createOwnBuckets,
  createPaces,
  type Names,
  openGuard,
} from '../../net/index.js';
import type { PackOptions } from '../../packs/index.js';
import type {
  AgentFacts,
  Checker,
  Clock,
  Embedder,
  PriceOf,
  Random,
  Store,
  ThreadShares,
} from '../../ports/index.js';
import { type AgentCatalogue, createAgentCatalogue } from '../catalogue/agent-catalogue.js';
import { createAgentPool } from '../catalogue/agent-pool.js';
import { createPackCatalogue, type PackCatalogue } from '../catalogue/pack-catalogue.js';
import { capabilityCheck, packOptions } from '../catalogue/pack-policy.js';
import { compilePackProfiles } from '../catalogue/pack-profiles.js';
import type { Profiles } from '../catalogue/profiles.js';
import type { Config } from '../config/config.js';
import { trustOf } from '../config/config-parts.js';
import { createPriceOf } from '../config/prices.js';
import { knownSecrets } from '../config/secrets.js';
import { fillInParts } from '../config/variables.js';
import { createOnChannel } from '../deployments/channel.js';

/** Everything that agents are made of. */
export type AgentParts = {
  readonly registry: AgentCatalogue;
  readonly models: Models;
  readonly holdsSecret: (text: string) => boolean;
  readonly packs: PackCatalogue;
  readonly tools: HostTools;
  /** Functions of the program that this host is part of, by the names that specs call them by. */
  readonly functions: Map<string, ModuleAgent>;
  readonly priceOf: PriceOf;
  /** The host's own, like its judge. */
  openEmbedder(pin: EmbedderPin): Embedder;
  /** Undefined when this host knows no secret. */
  readonly redact: ((text: string) => string) | undefined;
  /** From now on a process for the next module agent is ready before it is needed, where there are such agents. */
  keepReady(): void;
  close(): Promise<void>;
};

type AgentOptions = {
  readonly config: Config;
  readonly store: Store;
  readonly storeOfRuns: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: NodeJS.ProcessEnv;
  /** A server trusts only signed packs unless the configuration says otherwise. */
  readonly origin: 'host' | 'cli';
  readonly modulesApart: boolean;
  readonly isOnlyTenant: (tenant: string) => boolean;
  readonly profiles: Pick<Profiles, 'compile'>;
  /** Makes the checks of one request. */
  readonly checkerFor: (owner: Owner) => Checker;
  readonly names: Names;
  readonly shares: ThreadShares;
};

/** A host serves others too: a module that uses too much memory ends its own process, and not the host. */
export const MODULE_MEMORY_MB = 1024;

/** Builds everything that agents are made of: models, tools, packs, and the registry that knows them. */
export function composeAgents(options: AgentOptions): AgentParts {
  const { config, store, clock, random, env, isOnlyTenant, names, checkerFor } = options;
  const { baseDir } = config;
  const shared = store.isShared ? store.paces : undefined;
  const bucketOf = createBuckets({ clock, take: shared?.take ?? createOwnBuckets(clock) });
  const paceOf = createPaces(clock, { shared, bucketOf });
  const operatorGuard = openGuard(names.system);
  const filled = fillInParts(config, env);
  const providers = parseProviders(filled.providers);
  const models = createModels({
    providers,
    unset: filled.unset.providers,
    modelClasses: parseModelNames(config.modelClasses, '/modelClasses', MODEL_CLASSES),
    models: parseModelNames(config.models, '/models'),
    env,
    baseDir,
    clock,
    random,
    paceOf,
    bucketOf,
    isOnlyTenant,
    guard: operatorGuard,
  });
  const secrets = knownSecrets(config, env);
  const redact = secrets.length > 0 ? (text: string) => redactSecrets(text, secrets) : undefined;
  const holdsSecret = (text: string): boolean => redact !== undefined && redact(text) !== text;
  const functions = new Map<string, ModuleAgent>();
  const moduleProcesses = createModuleProcesses(clock);
  const pool = createAgentPool({
    ...{ functions, clock, random, models, paceOf, holdsSecret, redact, names },
    store: options.storeOfRuns,
    shares: options.shares,
    ...(options.modulesApart && { moduleMemoryMb: MODULE_MEMORY_MB, moduleProcesses }),
  });
  const guard = createGuard(config.egress);
  const registry = createAgentCatalogue({
    store,
    clock,
    guard,
    env,
    pool,
    onChannel: createOnChannel(store, random),
    offers: capabilityCheck(config),
    checkerFor,
  });
  const optionsFor = (owner: Owner): PackOptions =>
    packOptions(config, {
      openChecker: () => checkerFor(owner),
      servesClass: (modelClass) => models.choose(owner, { modelClass }).kind === 'model',
    });
  const packs = createPackCatalogue({
    store,
    clock,
    trust: trustOf(config, options.origin),
    optionsFor,
    compileProfiles: (pack, owner) => compilePackProfiles(options.profiles, pack, owner),
    hostAgents: registry.hostAgents,
  });
  const tools = createTools(parseToolSpecs(filled.tools), parseMcpServers(filled.mcpServers), {
    unset: filled.unset,
    isOnlyTenant,
    clock,
    baseDir,
    guard: operatorGuard,
  });
  return {
    registry,
    models,
    holdsSecret,
    packs,
    tools,
    functions,
    priceOf: createPriceOf(config.prices, providers, clock),
    openEmbedder: (pin) =>
      createEmbedder(models, pin, { owner: HOST_OWNER, clock, random, paceOf, guard: operatorGuard }),
    redact,
    keepReady() {
      const prepare = (agents: readonly AgentFacts[]): void => {
        const hasModules = agents.some(({ kind, wraps }) => (wraps?.kind ?? kind) === 'module');
        if (hasModules) moduleProcesses.keepReady(MODULE_MEMORY_MB);
      };
      // Without it an agent begins later, and nothing else.
      if (options.modulesApart) void registry.hostAgents(HOST_OWNER).then(prepare, () => undefined);
    },
    async close() {
      await moduleProcesses.close();
      models.close();
      await tools.close();
    },
  };
}
