import {
  asId,
  type Digest,
  defined,
  HOST_OWNER,
  type Id,
  type Owner,
  type Principal,
  type RunId,
  type Scorecard,
} from '@touchstone/protocol';
import {
  createSchemaCheck,
  fillInSpec,
  type HostTools,
  inspectAgent,
  type ModuleAgent,
  type NotFollowed,
  parseAgentSpec,
} from '../agents/index.js';
import { castVote } from '../deployments/index.js';
import { createEngine, DEFAULT_LIMITS } from '../engine/index.js';
import type { TrustedKey } from '../evidence/index.js';
import { createNames, createSlots, shareOpenFiles } from '../net/index.js';
import {
  type AgentFacts,
  type Clock,
  type Engine,
  type Ids,
  type Log,
  type Random,
  type Run,
  type Store,
  type Suite,
  type ThreadShares,
  UNSHARED,
} from '../ports/index.js';
import type { DefinitionAgent } from '../profiles/index.js';
import { buildSummary, foldTask, taskThreshold } from '../scorecard/index.js';
import { maskSecrets } from '../scoring/index.js';
import {
  isOpenToOthers,
  isPostgresUrl,
  openPostgresStore,
  openStore,
  retried,
  type StoreTimes,
  withRetriedReads,
} from '../store/index.js';
import { auditedKeys } from './audited-keys.js';
import { loadAgents, loadPacks, loadSuites, ownedBy } from './catalogue/boot.js';
import { compileDefinition, inSlots } from './catalogue/compile-definition.js';
import { definitionSpec } from './catalogue/definition-agent.js';
import { type FunctionSpec, functionRegistry } from './catalogue/function-agent.js';
import { type PackCatalogue, usePack } from './catalogue/pack-catalogue.js';
import { createPackWithdrawals, type PackWithdrawals } from './catalogue/pack-withdrawals.js';
import { createProfiles, type Profiles } from './catalogue/profiles.js';
import { readSentSuite } from './catalogue/read-suite.js';
import { createSuiteCatalogue } from './catalogue/suite-catalogue.js';
import { openCheckers } from './checkers/checkers.js';
import { maskWith } from './checkers/masking.js';
import { composeAgents } from './compose-agents.js';
import { composeScoring, evalSettings } from './compose-scoring.js';
import type { Config } from './config/config.js';
import { checkParts, trustOf } from './config/config-parts.js';
import { storeAddress } from './config/data-folder.js';
import { readSafetyPolicy } from './config/safety-policy.js';
import { ownKey, readOwnKey, trustedKeyOf } from './config/signing-key.js';
import { createCarryOut } from './deployments/carry-out.js';
import { withChannel } from './deployments/channel.js';
import { createCheckpoints } from './deployments/checkpoints.js';
import { createDeployments, type Deployments } from './deployments/deployments.js';
import { environmentDigest } from './fleet/environment.js';
import { keepDoing } from './fleet/keep-doing.js';
import { createFleetMember, type FleetMember, isExecuted, withEnvironment } from './fleet/sharing.js';
import { startWork } from './fleet/start-work.js';
import { createCalibrations } from './judges/calibrations.js';
import { readJudgeFiles } from './judges/judge-catalogue.js';
import { type Judging, openJudging } from './judges/judging.js';
import { type CalibrationRecords, createCalibrationRecords } from './judges/records.js';
import { createLimitCounts } from './limit-counts.js';
import { startMaintenance } from './maintenance.js';
import { watchTenants } from './principal.js';
import { createQuotas, withQuotas } from './quotas.js';
import { createRefusals } from './refusals.js';
import { createRetention } from './retention/retention.js';
import { startRetention } from './retention/schedule.js';
import { createAnnotations } from './review/annotations.js';
import { createBlessings } from './review/blessings.js';
import { readLabelDifferences } from './review/label-differences.js';
import { createReviews } from './review/reviews.js';
import { createRun } from './runs/create-run.js';
import { createdBefore, idsOf } from './runs/creation.js';
import { createFork } from './runs/fork-run.js';
import { previewRun } from './runs/preview-run.js';
import { createRejudge, type JudgeRequest } from './runs/rejudge.js';
import { suiteIssues } from './runs/task-criteria.js';
import type { Scorers } from './scorers/scorers.js';
import { createStoreTimes } from './store-times.js';
import { systemClock, systemIds } from './system.js';
import { openTelemetry } from './telemetry/open-telemetry.js';
import type { Telemetry } from './telemetry/telemetry.js';
import { createThreadShares } from './thread-shares.js';
import type { CreationOptions, Touchstone } from './touchstone.js';
import { readComparison, readJudgeComparison } from './views/compare.js';
import { readCounts } from './views/counts.js';
import { buildDebugBundle, createPace } from './views/debug-bundle/debug-bundle.js';
import { createDeepMask } from './views/debug-bundle/debug-bundle-mask.js';
import { diffRuns } from './views/diff.js';
import { readHistory } from './views/history.js';
import { importScorecard } from './views/import-scorecard.js';
import { readLooks } from './views/looks.js';
import { readMatrix } from './views/outcomes/matrix.js';
import { createOutcomesReader, outcomesOf } from './views/outcomes/run-outcomes.js';
import { createOrdinalsReader } from './views/outcomes/task-ordinals.js';
import { createReports } from './views/reports.js';
import { createResults } from './views/results.js';
import { listRuns } from './views/run-list.js';
import { readThresholds } from './views/run-measurement.js';
import { contractOutcome, readContractReport, readScorecard } from './views/scorecard.js';
import { viewTasks } from './views/task-page.js';
import { viewTask } from './views/task-view.js';
import { readTaskEvents } from './views/tasks/task-events.js';
import { createTaskTables } from './views/tasks/task-table.js';
import { createTaskTexts } from './views/tasks/task-texts.js';
import { createTasks } from './views/tasks/tasks.js';

export type HostRole = {
  /** Takes up runs and executes them. A host that does not still moves deployments, and asks people. */
  readonly works: boolean;
  /** Makes the tables of a database, and loads the packs and suites of the configured folders into the store. */
  readonly prepares: boolean;
};
const WHOLE_HOST: HostRole = { works: true, prepares: true };

type ComposeOptions = {
  readonly config: Config;
  /** Holds the store when the configuration names none. Without either, everything is kept in memory. */
  readonly dataDir?: string;
  /** `host` takes up unfinished runs and loads the configured suites; `cli` does neither by itself. */
  readonly origin: 'host' | 'cli';
  /** What a host does of all that hosts of a store do; everything by default. */
  readonly role?: HostRole;
  /** Modules get processes of their own, where they can neither end nor print over this one; by default on a host. */
  readonly modulesApart?: boolean;
  readonly log: Log;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly random?: Random;
  readonly env?: NodeJS.ProcessEnv;
  /** Of this package, for documents that are sent to others. */
  readonly version?: string;
  /** Tells the person who waits for this process one sentence; a host has its log instead. */
  readonly tell?: (sentence: string) => void;
  /** Adds an agent that echoes, for the test seams to evaluate. Never in production. */
  readonly testSeams?: boolean;
};

/** What only the operator of the machine may do. */
export type LocalTouchstone = Touchstone & {
  /** Registers an agent given on the command line. */
  useAgent(spec: unknown, baseDir: string): Promise<AgentFacts>;
  /** Registers a function of this program as an agent. */
  useFunction(answer: ModuleAgent, spec: FunctionSpec): Promise<AgentFacts>;
  /** Registers a function of this program as a scorer. */
  useScorer: Scorers['useFunction'];
  /** Fails with the reason why a scorer of the configuration cannot be used. */
  checkScorer(name: string): Promise<void>;
  /** What the digest of such an agent may not cover; undefined when it covers all that can be found. */
  filesNotFollowed(spec: unknown, baseDir: string): Promise<NotFollowed | undefined>;
  /**
   * Installs a pack that may have been edited since the last run. One that the configuration brings in the same state is
   * left where it is: a copy would hide it, and would stay behind when its files are edited.
   */
  usePack: PackCatalogue['draft'];
  readonly packs: PackCatalogue & PackWithdrawals;
  /** Compiles test contracts from files of this machine, and installs those that may have been edited. */
  readonly profiles: Pick<Profiles, 'compile' | 'replace'>;
  readonly tools: HostTools;
  /** Registers the agent of a definition: its prompt and its model. */
  useDefinition(agent: DefinitionAgent): Promise<AgentFacts>;
  /** API keys of every tenant, by their hashes. Making and revoking one is audited. */
  readonly keys: Store['keys'];
  /** The suite that a run is pinned to, by its digest; undefined when it is no longer kept. */
  pinnedSuite(owner: Owner, digest: Digest): Promise<Suite | undefined>;
  /** The contract of a digest, as a suite was compiled with it. */
  pinnedContract: Store['suites']['contract'];
  /** Keeps the scorecard in a file as something to compare with, if a trusted key has signed it. */
  importScorecard(owner: Owner, text: string): Promise<Scorecard>;
  /** Whose signatures on scorecards are trusted: the configured keys, and this machine's own. */
  evidenceKeys(): readonly TrustedKey[];
  /** Every owner that has an audit log in this store. */
  auditOwners(): Promise<readonly Owner[]>;
  /** Scores answers outside of any run; without a request, by checks alone. */
  openJudging(request?: JudgeRequest, owner?: Owner): Promise<Judging>;
  /** What checks of judges found, kept for gates. */
  readonly calibrationRecords: CalibrationRecords;
};

type Basics = Required<Omit<ComposeOptions, 'testSeams' | 'dataDir' | 'tell'>> &
  Pick<ComposeOptions, 'dataDir' | 'tell'>;

const withDefaults = (options: ComposeOptions): Basics => ({
  clock: systemClock,
  ids: systemIds,
  random: Math.random,
  role: WHOLE_HOST,
  modulesApart: options.origin === 'host',
  env: process.env,
  version: '0.1.0',
  ...options,
});

/** The one place that builds the parts and puts them together. */
export async function createTouchstone(options: ComposeOptions): Promise<LocalTouchstone> {
  checkParts(options.config);
  const parts = await openParts(withDefaults(options));
  const { config, log, store, agents, profiles, tenants, suites, checkers } = parts;
  const loaded = await loadConfigured(options, parts).catch(async (error) => {
    await agents.close();
    await parts.checkers.close();
    await store.close();
    throw error;
  });
  const member = memberOf(parts, loaded);
  const telemetry = openTelemetry(parts);
  const engine = openEngine(parts, member, telemetry);
  const unknownTenants = (error: unknown) => log.error('tenants.unknown', {}, error);
  const stopLooking =
    options.origin === 'host'
      ? keepDoing(tenants.look, DEFAULT_LIMITS.leaseMs, unknownTenants)
      : () => undefined;
  const stopMaintenance =
    options.origin === 'host'
      ? startMaintenance({ ...parts, makeCheckpoints: dueCheckpoints(parts) })
      : () => undefined;
  const leaveFleet =
    options.origin === 'host' ? startWork({ ...parts, engine, member }) : async () => undefined;
  const rules = { store, log, rules: config.retention, clock: parts.clock, retention: parts.retention };
  const stopRetention = options.origin === 'host' ? startRetention(rules) : parts.retention.close;
  return {
    store,
    engine,
    limitCounts: parts.limitCounts,
    storeTimes: parts.storeTimes,
    shares: parts.shares,
    names: parts.names,
    refusals: parts.refusals,
    ...runsOf(member ? { ...parts, store: withEnvironment(store, member.environment) } : parts, engine),
    ...viewsOf(parts),
    deployments: parts.openDeployments(engine),
    checkpoints: parts.checkpoints,
    retention: parts.retention,
    ...operatorOf(parts),
    suites,
    readSuite: (owner, value, bytes) =>
      readSentSuite({ check: checkers.forRequest(owner), shares: parts.shares }, owner, value, bytes),
    suiteIssues: (owner, suite) => suiteIssues(suite, checkers.forRequest(owner)),
    agents: agents.registry,
    packs: { ...agents.packs, ...createPackWithdrawals({ store, clock: parts.clock, mask: maskSecrets }) },
    tools: agents.tools,
    profiles,
    compileDefinition: inSlots(parts.compilations, (owner, request) =>
      compileDefinition(profiles, owner, request),
    ),
    useDefinition: (agent) => agents.registry.add(definitionSpec(agent), config.baseDir),
    async close() {
      stopLooking();
      stopMaintenance();
      await stopRetention();
      await engine.shutdown();
      await leaveFleet();
      await telemetry?.close();
      await parts.checkers.close();
      await parts.refusals.close();
      await agents.close();
      await store.close();
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openConfiguredStore(
  { config, clock, log, dataDir, origin, role }: Basics,
  shares: { readonly shares?: ThreadShares; readonly times?: StoreTimes | undefined },
): Promise<Store> {
  const address = await storeAddress(config, dataDir);
  if (isPostgresUrl(address)) {
    const onSkew = (skewMs: number) => log.warn('store.clock-differs', { ms: Math.round(skewMs) });
    const onUnsafe = (setting: string) => log.warn('store.unsafe', { setting: asId<Id<'setting'>>(setting) });
    const withPeers = { onPooled: () => log.warn('store.pooled') };
    const lasting = origin === 'host' ? { withPeers, onUnsafe, mayPrepare: role.prepares } : {};
    return openPostgresStore({ url: address, clock, onSkew, ...shares, ...lasting });
  }
  const opened = await openStore({ file: address, clock, ...shares });
  if (isOpenToOthers(address)) log.warn('store.open-to-others', { file: asId<Id<'file'>>(address) });
  return opened;
}

/** Everything below the engine. */
async function openParts(basics: Basics) {
  const { config, clock, ids, random, env, log, origin, modulesApart } = basics;
  const safety = await readSafetyPolicy(config);
  const limitCounts = createLimitCounts();
  // The command line has one tenant.
  const shares =
    origin === 'host'
      ? createThreadShares({
          clock,
          aheadMs: config.limits.perTenant.aheadMs,
          onWait: () => limitCounts.reached('aheadMs'),
        })
      : UNSHARED;
  const storeTimes = origin === 'host' ? createStoreTimes() : undefined;
  const opened = await openConfiguredStore(basics, origin === 'host' ? { shares, times: storeTimes } : {});
  const names = createNames({
    clock,
    perTenant: config.limits.perTenant.nameLookups,
    servers: config.egress.dnsServers,
    onWait: () => limitCounts.reached('nameLookups'),
  });
  // The operator at the machine has the whole disk.
  const quotas = origin === 'host' ? createQuotas(opened, config.limits.perTenant, limitCounts) : undefined;
  const store = quotas ? withQuotas(opened, quotas) : opened;
  const storeOfRuns = withRetriedReads(store, clock);
  const refusals = createRefusals({
    audit: store.audit,
    clock,
    log,
    atOnce: config.limits.perTenant.recordedRefusals,
    counts: limitCounts,
  });
  const results = createResults(store.log);
  const checkers = openCheckers({ ...basics, limitCounts, shares });
  const { forRequest, forRun } = checkers;
  const compilations = createSlots({
    perTenant: config.limits.perTenant.compilations,
    onWait: () => limitCounts.reached('compilations'),
  });
  const tenants = await watchTenants(store, basics);
  const suites = createSuiteCatalogue(
    store,
    clock,
    once(() => trustOf(config, origin)),
  );
  const settings = evalSettings(config, origin);
  const profiles = createProfiles({
    ...{ config, store, clock, env, suites, names, maxTasks: settings?.maxTasks },
    checkerFor: forRequest,
  });
  const isOnlyTenant = (tenant: string): boolean => tenants.isOnly(tenant);
  const agents = composeAgents({
    ...{ config, profiles, store, storeOfRuns, clock, random, env, origin, isOnlyTenant, names, shares },
    modulesApart,
    checkerFor: forRequest,
  });
  const scoring = composeScoring({
    ...{ config, store, storeOfRuns, clock, env, origin, safety, agents, isOnlyTenant },
    modulesApart,
    checkerFor: forRun,
  });
  const annotations = createAnnotations({ store, clock, ids, log, mask: maskSecrets });
  const contractReport: Touchstone['contractReport'] = (owner, runId) =>
    readContractReport({ store, results, contracts: scoring.contracts }, owner, runId);
  const taskSources = { store, openThresholds: scoring.contracts.thresholds };
  const reviewed = { sources: taskSources, tables: createTaskTables(taskSources) };
  const calibrations = createCalibrations(reviewed);
  const { registry } = agents;
  const moving = {
    store,
    clock,
    results,
    findSuite: suites.find,
    suiteSignature: suites.signature,
    contractReport,
    refusals,
    gates: config.gates,
    tolerance: config.regression.tolerance,
    agents: registry,
    chooseModel: registry.chooseModel,
    revokedVersions: registry.revoked,
    contractOf: scoring.contracts.of,
    overridesOf: annotations.overridesOf,
    calibrationOf: calibrations.of,
    hostJudge: scoring.judgeCatalogue.pinned,
  };
  const openDeployments = (engine: Pick<Engine, 'drive' | 'interrupts'>): Deployments =>
    createDeployments({ ...moving, ids, origin, engine, mask: maskSecrets });
  const carryOut = createCarryOut(moving);
  const { dataDir } = basics;
  const signing = dataDir === undefined ? undefined : () => ownKey(dataDir);
  const checkpoints = createCheckpoints({ audit: store.audit, clock, signing, version: basics.version });
  const retention = createRetention({ store, clock, log, origin });
  const kept = {
    store,
    storeOfRuns,
    results,
    limitCounts,
    storeTimes,
    shares,
    compilations,
    checkers,
    quotas,
    refusals,
    names,
    tenants,
    suites,
    profiles,
    annotations,
    retention,
    reviewed,
    calibrations,
  };
  const deployments = { carryOut, openDeployments, checkpoints };
  return { ...basics, ...kept, ...scoring, ...deployments, safety, settings, agents, contractReport };
}

/** Key files are read when they are first needed, and then no more. */
function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

/** Agents, packs and suites that the configuration names. Returns the agents that this process brings along. */
async function loadConfigured(
  { config, origin, testSeams = false }: ComposeOptions,
  { store, agents, profiles, role, judgeCatalogue }: Parts,
): Promise<readonly AgentFacts[]> {
  const added = await loadAgents(config, agents.registry, testSeams);
  if (!role.prepares) return added;
  const loaded = await loadPacks(config, agents.packs);
  const own = readJudgeFiles(config.judges, config.baseDir);
  for (const judge of own) await judgeCatalogue.replace(HOST_OWNER, judge);
  if (origin === 'host')
    await store.retain(HOST_OWNER, ownedBy(loaded, await loadSuites(config, profiles), own));
  return added;
}

/** What maintenance signs, when the operator has said how often. */
function dueCheckpoints({ config, checkpoints }: Parts): (() => Promise<unknown>) | undefined {
  const { checkpointEvery } = config.audit;
  return checkpointEvery === undefined ? undefined : () => checkpoints.makeDue(checkpointEvery);
}

/** Of a host whose store other processes may share. */
function memberOf(parts: Parts, agents: readonly AgentFacts[]): FleetMember | undefined {
  const { config, store, clock, log, safety, origin } = parts;
  if (!store.isShared || origin === 'cli') return undefined;
  const environment = environmentDigest(config, agents, safety.digest);
  const { activeRuns } = config.limits.perTenant;
  return createFleetMember({ workers: store.workers, clock, log, environment, activeRuns });
}

function openEngine(
  parts: Parts,
  sharing: FleetMember | undefined,
  telemetry: Telemetry | undefined,
): Engine {
  const { config, clock, log, agents, suites, contracts, carryOut, openScoring } = parts;
  const { storeOfRuns: store, limitCounts, quotas, checkers, shares } = parts;
  const { perTenant } = config.limits;
  const { tools, priceOf, redact, registry } = agents;
  return createEngine({
    castVote,
    carryOut,
    mask: maskSecrets,
    maskDeep: (owner, value) => createDeepMask(maskWith(checkers.forRun(owner)), createPace(clock))(value),
    store,
    clock,
    log,
    tools,
    priceOf,
    schemaCheckFor: (owner) => createSchemaCheck(checkers.forRun(owner)),
    redact,
    openAgent: registry.open,
    suiteHead: retried(clock, suites.head),
    suiteTasks: retried(clock, suites.tasks),
    openScoring,
    openThresholds: contracts.thresholds,
    taskThreshold,
    foldTask,
    buildSummary,
    contractOutcome: (run, plan, outcome) => contractOutcome(store, run, plan, outcome),
    outcomesOf: (run, plan, ended, thresholds) => outcomesOf(parts, run, plan, ended, thresholds),
    limits: DEFAULT_LIMITS,
    shares,
    slots: {
      runs: createSlots({
        perTenant: perTenant.activeRuns,
        onWait: () => limitCounts.reached('activeRuns'),
      }),
      tasks: createSlots({
        perTenant: perTenant.openInvocations,
        total: shareOpenFiles().tasks,
        onWait: () => limitCounts.reached('openInvocations'),
      }),
    },
    ...(quotas && { isStorageFull: quotas.isFull }),
    works: parts.role.works,
    ...(sharing && { sharing }),
    ...(telemetry && { within: telemetry.within }),
  });
}

/** New runs. Each is driven as soon as it is stored, unless the caller drives it. */
function runsOf(
  parts: Parts,
  engine: Engine,
): Pick<Touchstone, 'createRun' | 'previewRun' | 'rejudge' | 'fork'> {
  const { origin: ownOrigin, log, suites, agents, judges, safety, settings, config } = parts;
  const planning = {
    ...parts,
    findSuite: suites.find,
    suiteSignature: suites.signature,
    findAgent: agents.registry.find,
    chooseModel: agents.registry.chooseModel,
    chooseUser: agents.registry.chooseUser,
    chooseJudge: judges.choose,
    judges,
    chooseSafetyJudge: judges.chooseForSafety,
    safetyPolicy: safety.digest,
    unsetVariable: agents.tools.unsetVariable,
    priceOf: agents.priceOf,
    evalSettings: settings,
    maxRunDurationMs: config.limits.maxRunDurationMs,
    tolerance: config.regression.tolerance,
    checkerFor: parts.checkers.forRequest,
    suiteHead: suites.head,
    suiteTasks: suites.tasks,
  };
  const begin = (run: Run, start = true): Run => {
    const { owner, runId, plan } = run;
    if (start && !parts.role.works && isExecuted(plan)) parts.store.leases.offer(runId, plan.environment);
    else if (start) engine.drive(owner, runId).catch((error) => log.error('run.abandoned', { runId }, error));
    return run;
  };
  const once = async (
    { owner }: Principal,
    { creationId, start }: CreationOptions,
    create: (named: typeof planning) => Promise<Run>,
  ): Promise<Run> =>
    (await createdBefore(parts.store.runs, owner, creationId)) ??
    begin(await create({ ...planning, ids: idsOf(parts.ids, creationId) }), start);
  return {
    createRun: (principal, body, options = {}) =>
      once(principal, options, (named) => {
        const { origin = ownOrigin, exclusiveScope = false, channel, contract, seamRunId } = options;
        const bound = { ...withChannel(named, channel), ...defined({ contract, seamRunId }) };
        return createRun(bound, principal, body, { origin, exclusiveScope });
      }),
    previewRun: (owner, body) => previewRun(planning, owner, body),
    rejudge: (principal, runId, request, options = {}) =>
      once(principal, options, (named) =>
        createRejudge(named, principal, runId, request, options.origin ?? ownOrigin),
      ),
    fork: (principal, runId, body, options = {}) =>
      once(principal, options, (named) =>
        createFork(named, principal, runId, body, options.origin ?? ownOrigin),
      ),
  };
}

/** What can be read of runs. */
function viewsOf(parts: Parts) {
  const { config, store, clock, version, results, annotations, contractReport, checkers } = parts;
  const { contracts, calibrations } = parts;
  const { overridesOf } = annotations;
  const { sources: taskSources, tables } = parts.reviewed;
  const labelsOf = (owner: Owner, runId: RunId) => readLabelDifferences(parts.reviewed, owner, runId);
  const outcomes = createOutcomesReader({ store, results }, tables);
  const ordinals = createOrdinalsReader(store);
  const tasks = createTasks({ store, tables, outcomes, ordinals });
  return {
    annotations,
    results,
    contractReport,
    diff: (owner, a, b) => diffRuns(store, owner, a, b),
    debugBundle: (owner, runId, signal) =>
      buildDebugBundle(
        { store, clock, version, mask: maskWith(checkers.forRun(owner)) },
        owner,
        runId,
        signal,
      ),
    viewTask: (owner, runId, taskId, fromRepeat) => viewTask(taskSources, owner, runId, taskId, fromRepeat),
    viewTasks: (run, ordinals) => viewTasks(taskSources, run, ordinals),
    taskEvents: (run, taskId, cursor) => readTaskEvents({ store, tables }, run, taskId, cursor),
    taskTexts: createTaskTexts({ sources: taskSources, tables }),
    report: createReports({ store, results, overridesOf, labelsOf }),
    reviews: createReviews(parts.reviewed),
    judges: parts.judgeCatalogue,
    calibrationOf: calibrations.of,
    tasks,
    listRuns: (owner, query) => listRuns({ store, outcomes }, owner, query),
    matrix: (owner, request) => readMatrix({ store, outcomes, ordinals }, owner, request),
    counts: (owner) => readCounts({ store, tasks }, owner),
    thresholdsOf: (run) => readThresholds(store, run),
    scorecard: (owner, runId) => readScorecard({ store, results }, owner, runId),
    compareRuns: (owner, request) =>
      readComparison({ store, results }, owner, request, config.regression.tolerance),
    looks: (owner, request) => readLooks({ store, results }, owner, request, config.regression.tolerance),
    compareJudges: (owner, before, after) =>
      readJudgeComparison({ store, results, contracts }, owner, before, after),
    history: (owner, request) => readHistory({ store, outcomes }, owner, request, config.gates),
    blessings: createBlessings({ store, clock }),
  } satisfies Partial<Touchstone>;
}

/** What only the operator of the machine may do. */
function operatorOf(parts: Parts) {
  const { config, clock, ids, env, origin, dataDir, store, suites, agents, judges, scorers, checkers } =
    parts;
  const { registry, packs, priceOf } = agents;
  const evidenceKeys = (): readonly TrustedKey[] => {
    const own = dataDir === undefined ? undefined : readOwnKey(dataDir);
    return [...trustOf(config, origin).keys.values(), ...(own ? [trustedKeyOf(own)] : [])];
  };
  return {
    evidenceKeys,
    filesNotFollowed: async (spec, baseDir) =>
      (await inspectAgent(fillInSpec(parseAgentSpec(spec, 'operator'), env).value, baseDir)).notFollowed,
    useAgent: async (spec, baseDir) => registry.add(parseAgentSpec(spec, 'operator'), baseDir),
    useFunction: functionRegistry(agents),
    useScorer: scorers.useFunction,
    checkScorer: scorers.check,
    usePack: usePack({ store, packs, findAgent: registry.find, findSuite: suites.find }),
    importScorecard: (owner, text) => importScorecard(store, owner, text, evidenceKeys()),
    keys: auditedKeys(store, clock, origin),
    async pinnedSuite(owner, digest) {
      for (const holder of [owner, HOST_OWNER]) {
        const head = await store.suites.byDigest(holder, digest);
        if (head) return suites.read({ head, owner: holder });
      }
      return undefined;
    },
    pinnedContract: store.suites.contract,
    auditOwners: () => store.audit.owners(),
    openJudging: (request, owner = HOST_OWNER) =>
      openJudging({ judges, clock, check: checkers.forRun(HOST_OWNER), priceOf }, request, owner),
    calibrationRecords: createCalibrationRecords({ store, ids, clock, findSuite: suites.find }),
  } satisfies Partial<LocalTouchstone>;
}
