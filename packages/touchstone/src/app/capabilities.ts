import {
  CHANNELS,
  DEPLOYMENT_STATES,
  defined,
  EVAL_MODES,
  type EvalMode,
  FORK_MODES,
} from '@touchstone/protocol';
import { capabilityPath } from './capability-names.js';
import type { Config } from './config/config.js';
import { FIXTURE_WORKFLOWS } from './runs/workflow-definitions.js';
import { EVENT_LOG_SCHEMA_VERSION } from './views/snapshot.js';

/** Modes whose behaviour is here. Advertised are these, narrowed by the configuration. */
export const IMPLEMENTED_MODES: readonly EvalMode[] = EVAL_MODES;

/** What a host that serves others accepts when its configuration says nothing. */
export const DEFAULT_MAX_TASKS = 10_000;

type CapabilityFacts = {
  readonly config: Pick<Config, 'evalSuite' | 'limits' | 'roles'>;
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
 * The discovery document. It names what this host does and nothing else: no budget block while the budget events are not
 * written, no escalation because a low confidence is recorded and no more.
 */
export function capabilitiesOf(facts: CapabilityFacts): object {
  const evalSuite = evalCapability(facts);
  const { maxRequestBodyBytes, maxRunDurationMs } = facts.config.limits;
  return {
    protocolVersion: '1.0',
    supportedEnvelopes: ['clarification.request'],
    schemaVersions: {},
    limits: {
      clarificationRounds: 1,
      schemaRounds: 0,
      envelopesPerTurn: 0,
      maxRequestBodyBytes,
      ...defined({ maxRunDurationMs }),
    },
    implementation: { name: 'touchstone', version: facts.version, vendor: 'touchstone' },
    engineVersion: facts.engineVersion,
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    supportedTransports: ['rest'],
    agents: {
      supported: true,
      memoryBackends: ['long-term'],
      reasoning: { verbosity: 'full', streaming: false },
      manifestRuntime: { supported: true, handoffValidation: true, installScope: 'tenant' },
      liveRuntime: { supported: true, structuredOutput: true, sources: ['run-api'] },
      ...(evalSuite && { evalSuite }),
      deployment: {
        supported: true,
        channels: CHANNELS,
        canary: true,
        rollback: true,
        states: DEPLOYMENT_STATES,
      },
    },
    authorization: {
      supported: true,
      failClosed: true,
      roles: Object.entries(facts.config.roles).map(([role, scopes]) => ({ role, scopes })),
    },
    providerUsage: { supported: true, costEstimates: true, currency: 'USD' },
    feedback: {
      supported: true,
      targets: ['run', 'event', 'node'],
      signals: ['rating', 'correction', 'label', 'flag'],
    },
    replay: { supported: true, modes: FORK_MODES, sideEffectSuppression: 'recorded-outcome' },
    webhooks: { supported: true, signatureAlgorithms: ['v1'], durable: false },
    debugBundle: { supported: true },
    restTransport: { conditionalRunGet: true },
    toolCatalog: { supported: true, sources: ['host-extension', 'mcp'] },
    runs: { pauseResume: { supported: true, drainPolicies: ['immediate', 'drain-current-node'] } },
    fixtures: FIXTURE_WORKFLOWS,
  };
}

/**
 * Whether the document offers a capability, by its path or by one of the names that packs have for it. A block that says
 * `supported` means what it says; any other block is offered by being there.
 */
export function offers(capabilities: object, name: string): boolean {
  let value: unknown = capabilities;
  for (const step of capabilityPath(name).split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as { readonly [member: string]: unknown })[step];
  }
  if (typeof value !== 'object' || value === null) return value === true;
  return !('supported' in value) || value.supported === true;
}
