import type { EvalMode } from '@touchstone/contract';
import { DEFAULT_MAX_TASKS } from './compose.js';
import type { Config } from './config.js';
import { EVENT_LOG_SCHEMA_VERSION } from './snapshot.js';
import { FIXTURE_WORKFLOWS } from './workflow-definitions.js';

export type CapabilityFacts = {
  readonly config: Pick<Config, 'evalSuite' | 'limits' | 'prices'>;
  /** Modes this version can really run. */
  readonly implementedModes: readonly EvalMode[];
  readonly version: string;
  readonly engineVersion: number;
};

export type EvalCapability = {
  readonly supported: true;
  readonly modes: readonly EvalMode[];
  readonly maxTasksPerSuite: number;
  readonly maxCostUsdPerSuite?: number;
};

/** What `agents.evalSuite` says, or undefined when evaluation is switched off. */
export function evalCapability({ config, implementedModes }: CapabilityFacts): EvalCapability | undefined {
  if (config.evalSuite === false) return undefined;
  const {
    modes = implementedModes,
    maxTasksPerSuite = DEFAULT_MAX_TASKS,
    maxCostUsdPerSuite,
  } = config.evalSuite;
  return {
    supported: true,
    modes: implementedModes.filter((mode) => modes.includes(mode)),
    maxTasksPerSuite,
    ...(maxCostUsdPerSuite !== undefined && { maxCostUsdPerSuite }),
  };
}

/**
 * The discovery document. It names what this host does and nothing else: no manifest runtime while packs are not loaded,
 * no budget block while the budget events are not written, no envelopes because no run ever asks back.
 */
export function capabilitiesOf(facts: CapabilityFacts): object {
  const evalSuite = evalCapability(facts);
  return {
    protocolVersion: '1.0',
    supportedEnvelopes: [],
    schemaVersions: {},
    limits: {
      clarificationRounds: 0,
      schemaRounds: 0,
      envelopesPerTurn: 0,
      maxRequestBodyBytes: facts.config.limits.maxRequestBodyBytes,
    },
    implementation: { name: 'touchstone', version: facts.version, vendor: 'touchstone' },
    engineVersion: facts.engineVersion,
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    supportedTransports: ['rest'],
    agents: { supported: true, ...(evalSuite && { evalSuite }) },
    providerUsage: { supported: true, costEstimates: Object.keys(facts.config.prices).length > 0 },
    runs: { pauseResume: { supported: true, drainPolicies: ['immediate', 'drain-current-node'] } },
    fixtures: FIXTURE_WORKFLOWS,
  };
}
