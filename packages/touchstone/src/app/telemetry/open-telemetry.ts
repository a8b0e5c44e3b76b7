import { type Redact, redactDeep } from '@touchstone/protocol';
import { openAgentIds } from '../../engine/index.js';
import type { Clock, Log, Store } from '../../ports/index.js';
import { type ContentOf, loadExporters, telemetrySettings } from '../../telemetry/index.js';
import type { FindAgent } from '../catalogue/entries.js';
import type { SuiteCatalogue } from '../catalogue/suite-catalogue.js';
import type { Checkers } from '../checkers/checkers.js';
import { maskWith } from '../checkers/masking.js';
import type { Config } from '../config/config.js';
import { createPace } from '../views/debug-bundle/debug-bundle.js';
import { createDeepMask } from '../views/debug-bundle/debug-bundle-mask.js';
import type { SignalParts } from './committed-signals.js';
import { createRunFacts, type FollowedRun } from './run-facts.js';
import { startTelemetry, type Telemetry } from './telemetry.js';

type OpenParts = {
  readonly config: Pick<Config, 'telemetry'>;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly tell?: (sentence: string) => void;
  readonly storeOfRuns: Store;
  readonly suites: Pick<SuiteCatalogue, 'tasks'>;
  readonly checkers: Pick<Checkers, 'forRun'>;
  readonly agents: { readonly registry: { readonly find: FindAgent }; readonly redact: Redact };
};

/** Undefined unless the operator has asked for it: then nothing is loaded, and nobody is connected to. */
export function openTelemetry(parts: OpenParts): Telemetry | undefined {
  const { config, env, clock, log, version, tell, storeOfRuns: store, suites, agents } = parts;
  const settings = telemetrySettings(config.telemetry, env);
  if (settings.kind === 'off') return undefined;
  const note = settings.kind === 'on' ? settings.note : `${settings.reason}; nothing is sent`;
  if (note !== undefined) {
    log.warn(settings.kind === 'on' ? 'telemetry.other-protocol' : 'telemetry.unusable');
    if (tell) onFirstCommit(store, () => tell(`OpenTelemetry: ${note}.`));
  }
  if (settings.kind !== 'on') return undefined;
  return startTelemetry({
    ...{ store, clock, log, settings, tell },
    runFacts: createRunFacts({ runs: store.runs, findAgent: agents.registry.find, suiteTasks: suites.tasks }),
    load: () => loadExporters(version),
    conversationId: (runId, ordinal, repeat) => openAgentIds(runId)(ordinal, repeat).runId,
    ...(settings.content && { mask: contentMask(parts) }),
  });
}

/** A command that only reads has nothing to send, and says nothing about it. */
function onFirstCommit({ log }: Pick<Store, 'log'>, act: () => void): void {
  const unwatch = log.watchAll(() => {
    unwatch();
    act();
  });
}

/** Records hold no secret that this host knows; inputs of suites may, and both may hold what looks like one. */
const contentMask =
  ({ agents, checkers, clock }: OpenParts): NonNullable<SignalParts['mask']> =>
  ({ run: { owner } }: FollowedRun, content: ContentOf) =>
    createDeepMask(maskWith(checkers.forRun(owner)), createPace(clock))(redactDeep(content, agents.redact));
