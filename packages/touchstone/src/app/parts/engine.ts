import { createSchemaCheck } from '../../agents/index.js';
import { castVote } from '../../deployments/index.js';
import { createEngine, DEFAULT_LIMITS } from '../../engine/index.js';
import { createSlots, shareOpenFiles } from '../../net/index.js';
import type { AgentFacts, Engine } from '../../ports/index.js';
import { createSummary, foldTask, taskThreshold } from '../../scorecard/index.js';
import { maskSecrets } from '../../scoring/index.js';
import { retried } from '../../store/index.js';
import { maskWith } from '../checkers/masking.js';
import { environmentDigest } from '../fleet/environment.js';
import { createFleetMember, type FleetMember } from '../fleet/sharing.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { createPace } from '../views/debug-bundle/debug-bundle.js';
import { createDeepMask } from '../views/debug-bundle/debug-bundle-mask.js';
import { openOutcomes } from '../views/outcomes/run-outcomes.js';
import { openContract } from '../views/scorecard.js';
import type { Parts } from './parts.js';

/** Of a host whose store other processes may share. */
export function memberOf(parts: Parts, agents: readonly AgentFacts[]): FleetMember | undefined {
  const { config, store, clock, log, safety, origin } = parts;
  if (!store.isShared || origin === 'cli') return undefined;
  const environment = environmentDigest(config, agents, safety.digest);
  const { activeRuns } = config.limits.perTenant;
  return createFleetMember({ workers: store.workers, clock, log, environment, activeRuns });
}

/** What drives the runs of this process. */
export function openEngine(
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
    createSummary,
    openContract: (run, plan, thresholds) => openContract(store, run, plan, thresholds),
    openOutcomes: (run, plan, thresholds) => openOutcomes(parts, run, plan, thresholds),
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
