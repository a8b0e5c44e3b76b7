import { HOST_OWNER } from '@touchstone/protocol';
import { fillInSpec, inspectAgent, parseAgentSpec } from '../../agents/index.js';
import type { TrustedKey } from '../../evidence/index.js';
import { auditedKeys } from '../audited-keys.js';
import { functionRegistry } from '../catalogue/function-agent.js';
import { usePack } from '../catalogue/pack-catalogue.js';
import { trustOf } from '../config/config-parts.js';
import { readOwnKey, trustedKeyOf } from '../config/signing-key.js';
import { openJudging } from '../judges/judging.js';
import { createCalibrationRecords } from '../judges/records.js';
import { importScorecard } from '../views/import-scorecard.js';
import type { LocalTouchstone } from './local-touchstone.js';
import type { Parts } from './parts.js';

/** What only the operator of the machine may do. */
export function operatorOf(parts: Parts) {
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
