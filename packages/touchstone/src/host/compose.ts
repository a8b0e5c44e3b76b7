import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EvalMode,
  HOST_OWNER,
  HostError,
  type Issue,
  isHostError,
  validationError,
} from '@touchstone/contract';
import type { AgentFacts, Clock, Ids, Log, Random, Store, Suite } from '@touchstone/contract/ports';
import {
  type AgentSpec,
  createGuard,
  createSchemaCheck,
  createTools,
  parseAgentSpec,
  parseToolSpecs,
  redactSecrets,
} from '../agents/index.js';
import { createEngine, DEFAULT_LIMITS } from '../engine/index.js';
import { buildScorecard, foldTask, taskBar } from '../scorecard/index.js';
import { selectScorer } from '../scoring/index.js';
import { openStore } from '../store/index.js';
import { findSuiteFiles, readSuite } from '../suites/index.js';
import { createAgentRegistry } from './agent-registry.js';
import type { Config } from './config.js';
import { createRun, type EvalSettings } from './create-run.js';
import { createPriceOf } from './prices.js';
import { knownSecrets } from './secrets.js';
import { createSuiteShelf } from './suite-shelf.js';
import { systemClock, systemIds } from './system.js';
import { SAMPLE_AGENT_ID, type Touchstone } from './touchstone.js';
import { viewTask } from './view-task.js';

/** Modes whose behaviour is here. Advertised are these, narrowed by the configuration. */
export const IMPLEMENTED_MODES: readonly EvalMode[] = ['golden'];

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
  const guard = createGuard(config.egress);
  const registry = createAgentRegistry({ store, clock, random, guard });
  const shelf = createSuiteShelf(store, clock);
  const schemaCheck = createSchemaCheck();
  const secrets = knownSecrets(config, env);
  const tenants = await watchTenants(store, config);
  const tools = createTools(parseToolSpecs(config.tools), {
    isSingleTenant: () => tenants.count <= 1,
    clock,
  });
  const engine = createEngine({
    store,
    clock,
    log,
    tools: tools,
    priceOf: createPriceOf(config.prices),
    schemaCheck,
    redact: (text) => redactSecrets(text, secrets),
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
    evalSettings: evalSettings(config, options.origin),
  };
  for (const [index, spec] of config.agents.entries()) {
    await registry.add(parseConfigAgent(spec, index), config.baseDir);
  }
  if (options.testSeams) await registry.add(parseAgentSpec(SAMPLE_AGENT, 'operator'), ASSETS);
  if (options.origin === 'host') await loadSuites(config, shelf.replace);
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
      tools.close();
      await store.close();
    },
  };
}

/** The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
const ASSETS = fileURLToPath(new URL('../../assets', import.meta.url));
const SAMPLE_AGENT = {
  agentId: SAMPLE_AGENT_ID,
  version: '1.0.0',
  persona: 'Echoes what it is asked',
  run: { kind: 'module', path: 'sample-agent.mjs' },
};

/** Problems of an agent are reported where its author can find them: under its place in the configuration. */
function parseConfigAgent(spec: unknown, index: number): AgentSpec {
  try {
    return parseAgentSpec(spec, 'operator');
  } catch (error) {
    if (!isHostError(error) || !Array.isArray(error.details?.issues)) throw error;
    const issues = error.details.issues as readonly Issue[];
    throw validationError(issues.map((issue) => ({ ...issue, pointer: `/agents/${index}${issue.pointer}` })));
  }
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

/** How many tenants hold keys, those in the store included. Looked up again with every look for orphaned runs. */
async function watchTenants(
  store: Store,
  config: Config,
): Promise<{ readonly count: number; look(): Promise<void> }> {
  let count = 0;
  const look = async (): Promise<void> => {
    const stored = (await store.keys.list()).filter((key) => key.revokedAt === undefined);
    count = new Set([...config.keys.map((key) => key.tenant), ...stored.map((key) => key.owner.tenant)]).size;
  };
  await look();
  return {
    get count() {
      return count;
    },
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

/** What a host that serves others accepts when its configuration says nothing. */
export const DEFAULT_MAX_TASKS = 10_000;

/** Suites in the configured folders belong to the host. One edited since the last start replaces what was there. */
async function loadSuites(
  config: Config,
  replace: (owner: typeof HOST_OWNER, suite: Suite) => Promise<void>,
): Promise<void> {
  for (const folder of config.suites) {
    for (const file of await findSuiteFiles(resolve(config.baseDir, folder))) {
      await replace(HOST_OWNER, readSuite(await readFile(file, 'utf8'), { file }));
    }
  }
}

/** Runs whose driver has died are taken up at boot and looked for again as often as a lease can expire. */
function keepLooking(lookAround: () => Promise<unknown>, log: Log): () => void {
  const look = (): void => void lookAround().catch((error) => log.error('adopt.failed', {}, error));
  look();
  const timer = setInterval(look, DEFAULT_LIMITS.leaseMs);
  timer.unref();
  return () => clearInterval(timer);
}
