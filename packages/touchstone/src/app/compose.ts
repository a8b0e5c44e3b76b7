import { type Digest, HOST_OWNER, type Owner, type Scorecard } from '@touchstone/protocol';
import { createSchemaCheck, type HostTools, parseAgentSpec } from '../agents/index.js';
import { createEngine, DEFAULT_LIMITS } from '../engine/index.js';
import type { TrustedKey } from '../evidence/index.js';
import type { AgentFacts, Clock, Ids, Log, Random, Run, Store, Suite } from '../ports/index.js';
import type { ProfiledAgent } from '../profiles/index.js';
import { buildSummary, foldTask, taskBar } from '../scorecard/index.js';
import { createScoring, maskSecrets } from '../scoring/index.js';
import { openStore } from '../store/index.js';
import { loadAgents, loadPacks, loadSuites, ownedBy } from './catalogue/boot.js';
import { compileDefinition } from './catalogue/compile-definition.js';
import { createContracts } from './catalogue/contracts.js';
import { definitionSpec } from './catalogue/definition-agent.js';
import { type PackCatalogue, usePack } from './catalogue/pack-catalogue.js';
import { trustOf } from './catalogue/pack-policy.js';
import { createProfiles, type Profiles } from './catalogue/profiles.js';
import { createSuiteCatalogue } from './catalogue/suite-catalogue.js';
import { composeAgents } from './compose-agents.js';
import { composeDeployments } from './compose-deployments.js';
import type { Config } from './config/config.js';
import { checkParts } from './config/config-parts.js';
import { evalSettings } from './config/eval-settings.js';
import { checkSamePolicy, readSafetyPolicy } from './config/safety-policy.js';
import { readOwnKey, trustedKeyOf } from './config/signing-key.js';
import { storeFile } from './config/store-file.js';
import { withChannel } from './deployments/channel.js';
import { createJudges } from './judges/judges.js';
import { type Judging, openJudging } from './judges/judging.js';
import { createAnnotations } from './review/annotations.js';
import { createBlessings } from './review/blessings.js';
import { createRun } from './runs/create-run.js';
import { createFork } from './runs/fork-run.js';
import { createRejudge, type JudgeRequest } from './runs/rejudge.js';
import { systemClock, systemIds } from './system.js';
import { watchTenants } from './tenant-count.js';
import type { Touchstone } from './touchstone.js';
import { readComparison } from './views/compare.js';
import { readJudgeComparison } from './views/compare-judges.js';
import { contractOutcome, readContractReport } from './views/contract-report.js';
import { buildDebugBundle } from './views/debug-bundle/debug-bundle.js';
import { diffRuns } from './views/diff.js';
import { readHistory } from './views/history.js';
import { importScorecard } from './views/import-scorecard.js';
import { readReport } from './views/report.js';
import { createResults } from './views/results.js';
import { readThresholds } from './views/run-measurement.js';
import { readScorecard } from './views/scorecard.js';
import { viewTask } from './views/task-view.js';

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
  /** Of this package, for documents that leave the house. */
  readonly version?: string;
  /** Adds an agent that echoes, for the test seams to evaluate. Never in production. */
  readonly testSeams?: boolean;
};

/** What only someone on the machine itself may do. */
export type LocalTouchstone = Touchstone & {
  /** Registers an agent given on the command line. */
  useAgent(spec: unknown, baseDir: string): Promise<AgentFacts>;
  /** Installs a suite file that may have been edited since the last run. */
  useSuite(owner: Parameters<Touchstone['installSuite']>[0], suite: Suite): Promise<void>;
  /**
   * Installs a pack that may have been edited since the last run. One that the configuration brings in the same state is
   * left where it is: a copy would hide it, and would stay behind when its files are edited.
   */
  usePack: PackCatalogue['draft'];
  inspectPack: PackCatalogue['inspect'];
  /** Compiles a definition's test contract from files of this machine. */
  compileProfile: Profiles['compile'];
  /** Installs a compiled contract that may have been edited since the last run. */
  useProfile: Profiles['replace'];
  /** Registers the agent of a definition: its prompt and its model. */
  useDefinition(agent: ProfiledAgent): Promise<AgentFacts>;
  /** API keys of every tenant, by their hashes. */
  readonly keys: Store['keys'];
  /** The suite that a run is pinned to, by its digest; undefined when it is no longer kept. */
  pinnedSuite(owner: Owner, digest: Digest): Promise<Suite | undefined>;
  /** The contract of a digest, as a suite was compiled with it. */
  pinnedContract: Store['suites']['contract'];
  /** Keeps the scorecard in a file as something to compare with, if a trusted key has signed it. */
  importScorecard(owner: Owner, text: string): Promise<Scorecard>;
  /** Whose signatures on scorecards are believed: the configured keys, and this machine's own. */
  evidenceKeys(): readonly TrustedKey[];
  /** Every owner that has an audit log in this store. */
  auditOwners(): Promise<readonly Owner[]>;
  /** What keeps MCP servers from being used. Asking starts them. */
  toolTrouble: HostTools['serverIssues'];
  /** Scores answers outside of any run; without a wish, by checks alone. */
  openJudging(wish?: JudgeRequest): Promise<Judging>;
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
    version = '0.1.0',
  } = options;
  checkParts(config);
  const safety = await readSafetyPolicy(config);
  const store = await openStore({ file: await storeFile(config, options.dataDir), clock });
  const results = createResults(store.log);
  const tenants = await watchTenants(store, options);
  const shelf = createSuiteCatalogue(store, clock);
  const settings = evalSettings(config, options.origin);
  const profiles = createProfiles({ config, store, clock, env, shelf, maxTasks: settings?.maxTasks });
  const world = composeAgents({
    config,
    profiles,
    store,
    clock,
    random,
    env,
    origin: options.origin,
    isOnlyTenant: (tenant) => tenants.isOnly(tenant),
  });
  const { registry, packs, tools, priceOf, redact, models, holdsSecret } = world;
  const judges = createJudges({ config, models, store, clock, holdsSecret });
  const modelTrouble = (owner: Owner, name: string): string | undefined => {
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
    modelTrouble: options.origin === 'cli' ? () => undefined : modelTrouble,
  });
  const schemaCheck = createSchemaCheck();
  const annotations = createAnnotations({ store, clock, ids, log, mask: maskSecrets });
  const contractReport: Touchstone['contractReport'] = (owner, runId) =>
    readContractReport({ store, results, contracts }, owner, runId);
  const { castVote, carryOut, openDesk } = composeDeployments({
    config,
    store,
    clock,
    ids,
    origin: options.origin,
    registry,
    contracts,
    annotations,
    findSuite: shelf.find,
    contractReport,
    results,
  });
  const engine = createEngine({
    castVote,
    carryOut,
    mask: maskSecrets,
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
    openScoring: async (owner, plan) => {
      checkSamePolicy(safety, plan);
      return createScoring({
        modes: plan.modes,
        schemaCheck,
        tierOf: tools.tierOf,
        policy: safety.policy,
        redact,
        ...(plan.judge && { judge: await judges.open(owner, plan.judge, plan) }),
        ...(plan.safetyJudge && { safetyJudge: await judges.open(owner, plan.safetyJudge, plan) }),
        ...(plan.contract && { contract: (await contracts.pinned(owner, plan.contract)).contract }),
        ...(plan.embedder && { embedder: world.openEmbedder(plan.embedder) }),
      });
    },
    openThresholds: contracts.bars,
    taskThreshold: taskBar,
    foldTask,
    buildSummary,
    contractOutcome: (run, plan, outcome) => contractOutcome(store, run, plan, outcome),
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
    chooseJudge: judges.choose,
    chooseSafetyJudge: judges.chooseForSafety,
    safetyPolicy: safety.digest,
    contracts,
    evalSettings: settings,
    tolerance: config.regression.tolerance,
  };
  const rejudgeParts = {
    ...parts,
    suiteHead: shelf.head,
    suiteTasks: shelf.tasks,
    modelTrouble,
  };
  const evidenceKeys = (): readonly TrustedKey[] => {
    const own = readOwnKey(options.dataDir);
    return [...trustOf(config, options.origin).keys.values(), ...(own ? [trustedKeyOf(own)] : [])];
  };
  const start = ({ owner, runId }: Run): void =>
    void engine.drive(owner, runId).catch((error) => log.error('run.abandoned', { runId }, error));
  const load = async (): Promise<void> => {
    await loadAgents(config, registry, options.testSeams === true);
    const loaded = await loadPacks(config, packs);
    if (options.origin === 'host')
      await store.retain(HOST_OWNER, ownedBy(loaded, await loadSuites(config, profiles)));
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
    usePack: usePack({ store, packs, findAgent: registry.find, findSuite: shelf.find }),
    inspectPack: packs.inspect,
    importScorecard: (owner, text) => importScorecard(store, owner, text, evidenceKeys()),
    evidenceKeys,
    listTools: tools.catalogue,
    findTool: tools.find,
    auditOwners: () => store.audit.owners(),
    toolTrouble: tools.serverIssues,
    async createRun(principal, body, { origin = options.origin, exclusiveScope = false, ...asked } = {}) {
      const { channel, contract } = asked;
      const planning = { ...withChannel(parts, channel), ...(contract && { contract }) };
      const run = await createRun(planning, principal, body, {
        origin,
        exclusiveScope,
      });
      if (asked.start ?? true) start(run);
      return run;
    },
    async rejudge(principal, runId, wish, { origin = options.origin, ...asked } = {}) {
      const run = await createRejudge(rejudgeParts, principal, runId, wish, origin);
      if (asked.start ?? true) start(run);
      return run;
    },
    async fork(principal, runId, body, { origin = options.origin, ...asked } = {}) {
      const run = await createFork(parts, principal, runId, body, origin);
      if (asked.start ?? true) start(run);
      return run;
    },
    diff: (owner, a, b) => diffRuns(store, owner, a, b),
    debugBundle: (owner, runId, signal) =>
      buildDebugBundle({ store, clock, version, mask: maskSecrets }, owner, runId, signal),
    annotations,
    openJudging: (wish) => openJudging({ judges, schemaCheck, priceOf }, wish),
    viewTask: (owner, runId, taskId) => viewTask(store, owner, runId, taskId),
    report: (owner, runId, asked) =>
      readReport({ store, results, overridesOf: annotations.overridesOf }, owner, runId, asked),
    results,
    thresholdsOf: (run) => readThresholds(store, run),
    scorecard: (owner, runId) => readScorecard({ store, results }, owner, runId),
    compareRuns: (owner, request) =>
      readComparison({ store, results }, owner, request, config.regression.tolerance),
    compareJudges: (owner, before, after) =>
      readJudgeComparison({ store, results, contracts }, owner, before, after),
    history: (owner, request) => readHistory({ store, results }, owner, request, config.gates),
    blessings: createBlessings({ store, clock }),
    compileDefinition: (owner, wish) => compileDefinition(profiles, owner, wish),
    contractReport,
    deployments: openDesk(engine.drive),
    compileProfile: profiles.compile,
    useProfile: profiles.replace,
    useDefinition: (agent) => registry.add(definitionSpec(agent), config.baseDir),
    keys: store.keys,
    async pinnedSuite(owner, digest) {
      for (const holder of [owner, HOST_OWNER]) {
        const head = await store.suites.byDigest(holder, digest);
        if (head) return shelf.read({ head, owner: holder });
      }
      return undefined;
    },
    pinnedContract: store.suites.contract,
    async close() {
      stopLooking();
      await engine.shutdown();
      await world.close();
      await store.close();
    },
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
