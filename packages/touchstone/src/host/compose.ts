import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HOST_OWNER, HostError } from '@touchstone/contract';
import type { AgentFacts, Clock, Ids, Log, Random, Store, Suite } from '@touchstone/contract/ports';
import { createSchemaCheck, type HostTools, parseAgentSpec } from '../agents/index.js';
import { createEngine, DEFAULT_LIMITS } from '../engine/index.js';
import { buildScorecard, foldTask, taskBar } from '../scorecard/index.js';
import { selectScorer } from '../scoring/index.js';
import { openStore } from '../store/index.js';
import { loadAgents, loadPacks, loadSuites, ownedBy } from './boot.js';
import { DEFAULT_MAX_TASKS, IMPLEMENTED_MODES } from './capabilities.js';
import { composeAgents } from './compose-agents.js';
import type { Config } from './config.js';
import { createRun, type EvalSettings } from './create-run.js';
import type { PackShelf } from './pack-shelf.js';
import { createSuiteShelf } from './suite-shelf.js';
import { systemClock, systemIds } from './system.js';
import type { Touchstone } from './touchstone.js';
import { viewTask } from './view-task.js';

export type ComposeOptions = {
  readonly config: Config;
  /** Holds the store when the configuration names none. */
  readonly dataDir: string;
  /** `host` takes up unfinished runs and loads the configured suites; `cli` does neither by itself. */
  readonly origin: 'host' | 'cli';
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
  readonly env?: NodeJS.ProcessEnv;
  /** Adds an agent that echoes, for the test seams to evaluate. Never in production. */
  readonly testSeams?: boolean;
};

/** What only someone on the machine itself may do. */
export type LocalTouchstone = Touchstone & {
  /** Registers an agent given on the command line. */
  useAgent(spec: unknown, baseDir: string): Promise<AgentFacts>;
  /** Installs a suite file that may have been edited since the last run. */
  useSuite(owner: Parameters<Touchstone['installSuite']>[0], suite: Suite): Promise<void>;
  /** Installs a pack that may have been edited since the last run. */
  usePack: PackShelf['replace'];
  inspectPack: PackShelf['inspect'];
  /** What keeps MCP servers from being used. Asking starts them. */
  toolTrouble: HostTools['trouble'];
};

/** The one place that builds the parts and introduces them to each other. */
export async function createTouchstone(options: ComposeOptions): Promise<LocalTouchstone> {
  const {
    config,
    log,
    clock = systemClock,
    ids = systemIds,
    random = Math.random,
    env = process.env,
  } = options;
  const store = await openStore({ file: await storeFile(config, options.dataDir), clock });
  const tenants = await watchTenants(store, options);
  const world = composeAgents({
    config,
    store,
    clock,
    random,
    env,
    origin: options.origin,
    isOnlyTenant: (tenant) => tenants.isOnly(tenant),
  });
  const { registry, packs, tools, priceOf, redact } = world;
  const shelf = createSuiteShelf(store, clock);
  const schemaCheck = createSchemaCheck();
  const engine = createEngine({
    store,
    clock,
    log,
    tools,
    priceOf,
    schemaCheck,
    redact,
    openAgent: registry.open,
    suiteHead: shelf.head,
    suiteTasks: shelf.tasks,
    selectScorer,
    taskBar,
    foldTask,
    buildScorecard,
    limits: DEFAULT_LIMITS,
  });
  const parts = {
    store,
    clock,
    ids,
    schemaCheck,
    findSuite: shelf.find,
    findAgent: registry.find,
    chooseModel: registry.chooseModel,
    evalSettings: evalSettings(config, options.origin),
  };
  const load = async (): Promise<void> => {
    await loadAgents(config, registry, options.testSeams === true);
    const loaded = await loadPacks(config, packs);
    if (options.origin === 'host')
      await store.retain(HOST_OWNER, ownedBy(loaded, await loadSuites(config, shelf.replace)));
  };
  await load().catch(async (error) => {
    await world.close();
    await store.close();
    throw error;
  });
  const stopLooking =
    options.origin === 'host'
      ? keepLooking(() => Promise.all([engine.adopt(), tenants.look()]), log)
      : () => undefined;

  return {
    store,
    engine,
    installSuite: shelf.install,
    useSuite: shelf.replace,
    findSuite: shelf.find,
    listSuites: shelf.list,
    readSuite: shelf.read,
    useAgent: async (spec, baseDir) => registry.add(parseAgentSpec(spec, 'operator'), baseDir),
    bindAgent: registry.bind,
    listAgents: registry.list,
    findAgent: registry.find,
    installPack: packs.install,
    listPacks: packs.list,
    usePack: packs.replace,
    inspectPack: packs.inspect,
    listTools: tools.catalogue,
    findTool: tools.find,
    toolTrouble: tools.trouble,
    async createRun(principal, body, { origin = options.origin, exclusiveScope = false, start = true } = {}) {
      const run = await createRun(parts, principal, body, { origin, exclusiveScope });
      if (start)
        engine
          .drive(run.owner, run.runId)
          .catch((error) => log.error('run.abandoned', { runId: run.runId }, error));
      return run;
    },
    viewTask: (owner, runId, taskId) => viewTask(store, owner, runId, taskId),
    async close() {
      stopLooking();
      await engine.shutdown();
      await world.close();
      await store.close();
    },
  };
}

async function storeFile(config: Config, dataDir: string): Promise<string> {
  if (config.store?.startsWith('sqlite:'))
    return resolve(config.baseDir, config.store.slice('sqlite:'.length));
  if (config.store !== undefined) {
    throw new HostError(
      'validation_error',
      'The configured store is not one this version can open. Use "sqlite:<file>", or leave "store" out.',
    );
  }
  // Inputs and answers are kept in clear: nobody else on the machine has business in this folder.
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return join(dataDir, 'touchstone.db');
}

/**
 * Whether a tenant is the only one with keys, those in the store included. Looked up again with every look for orphaned
 * runs; a tenant that turns up in between is not the one that was known, and so is not alone. Whoever sits at the machine
 * acts for no tenant of the keys.
 */
async function watchTenants(
  store: Store,
  { config, origin }: ComposeOptions,
): Promise<{ isOnly(tenant: string): boolean; look(): Promise<void> }> {
  let known: ReadonlySet<string> = new Set();
  const look = async (): Promise<void> => {
    const stored = (await store.keys.list()).filter((key) => key.revokedAt === undefined);
    known = new Set([...config.keys.map((key) => key.tenant), ...stored.map((key) => key.owner.tenant)]);
  };
  await look();
  return {
    isOnly: (tenant) => known.size === 0 || (known.size === 1 && (origin === 'cli' || known.has(tenant))),
    look,
  };
}

/** In-process there is no task limit; a host has one unless it is configured otherwise. */
function evalSettings(config: Config, origin: 'host' | 'cli'): EvalSettings | undefined {
  if (config.evalSuite === false) return undefined;
  const { modes = IMPLEMENTED_MODES, maxTasksPerSuite, maxCostUsdPerSuite } = config.evalSuite;
  const maxTasks = maxTasksPerSuite ?? (origin === 'host' ? DEFAULT_MAX_TASKS : undefined);
  return {
    modes: IMPLEMENTED_MODES.filter((mode) => modes.includes(mode)),
    ...(maxTasks !== undefined && { maxTasks }),
    ...(maxCostUsdPerSuite !== undefined && { ceilingUsd: maxCostUsdPerSuite }),
  };
}

/** Runs whose driver has died are taken up at boot and looked for again as often as a lease can expire. */
function keepLooking(lookAround: () => Promise<unknown>, log: Log): () => void {
  const look = (): void => void lookAround().catch((error) => log.error('adopt.failed', {}, error));
  look();
  const timer = setInterval(look, DEFAULT_LIMITS.leaseMs);
  timer.unref();
  return () => clearInterval(timer);
}
