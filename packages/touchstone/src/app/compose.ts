import { maskSecrets } from '../scoring/index.js';
import { compileDefinition, inSlots } from './catalogue/compile-definition.js';
import { definitionSpec } from './catalogue/definition-agent.js';
import { createPackWithdrawals } from './catalogue/pack-withdrawals.js';
import { readSentSuite } from './catalogue/read-suite.js';
import { checkParts } from './config/config-parts.js';
import { withEnvironment } from './fleet/sharing.js';
import { memberOf, openEngine } from './parts/engine.js';
import { loadConfigured } from './parts/load-configured.js';
import type { LocalTouchstone } from './parts/local-touchstone.js';
import { operatorOf } from './parts/operator.js';
import { type ComposeOptions, withDefaults } from './parts/options.js';
import { openParts } from './parts/parts.js';
import { runsOf } from './parts/runs.js';
import { startUpkeep } from './parts/upkeep.js';
import { viewsOf } from './parts/views.js';
import { suiteIssues } from './runs/task-criteria.js';
import { openTelemetry } from './telemetry/open-telemetry.js';

/** The one place that builds the parts and puts them together. */
export async function createTouchstone(options: ComposeOptions): Promise<LocalTouchstone> {
  checkParts(options.config);
  const parts = await openParts(withDefaults(options));
  const { config, store, agents, profiles, suites, checkers } = parts;
  const loaded = await loadConfigured(options, parts).catch(async (error) => {
    await agents.close();
    await parts.checkers.close();
    await store.close();
    throw error;
  });
  const member = memberOf(parts, loaded);
  const telemetry = openTelemetry(parts);
  const engine = openEngine(parts, member, telemetry);
  const upkeep = startUpkeep(parts, engine, member);
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
    keepAgentsReady: agents.keepReady,
    useDefinition: (agent) => agents.registry.add(definitionSpec(agent), config.baseDir),
    async close() {
      await upkeep.stop();
      await engine.shutdown();
      await upkeep.leave();
      await telemetry?.close();
      await parts.checkers.close();
      await parts.refusals.close();
      await agents.close();
      await store.close();
    },
  };
}
