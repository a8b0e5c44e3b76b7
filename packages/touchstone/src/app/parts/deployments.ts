import type { Engine } from '../../ports/index.js';
import { maskSecrets } from '../../scoring/index.js';
import { ownKey } from '../config/signing-key.js';
import { createCarryOut } from '../deployments/carry-out.js';
import { createCheckpoints } from '../deployments/checkpoints.js';
import { createDeployments, type Deployments } from '../deployments/deployments.js';
import { createRetention } from '../retention/retention.js';
import type { Catalogues } from './catalogues.js';
import type { Basics } from './options.js';
import type { Review } from './review.js';
import type { Stores } from './stores.js';

/** What moves versions of agents between states, and what is kept of old runs and of the audit log. */
export function openDeploymentParts(parts: Basics & Stores & Catalogues & Review) {
  const { store, clock, log, ids, origin, dataDir, version } = parts;
  const moves = movesOf(parts);
  const signing = dataDir === undefined ? undefined : () => ownKey(dataDir);
  return {
    carryOut: createCarryOut(moves),
    openDeployments: (engine: Pick<Engine, 'drive' | 'interrupts'>): Deployments =>
      createDeployments({ ...moves, ids, origin, engine, mask: maskSecrets }),
    checkpoints: createCheckpoints({ audit: store.audit, clock, signing, version }),
    retention: createRetention({ store, clock, log, origin }),
  };
}

/** What a move is decided by. */
function movesOf(parts: Basics & Stores & Catalogues & Review) {
  const { config, suites, contracts, annotations, calibrations, judgeCatalogue } = parts;
  const { store, clock, results, refusals, contractReport } = parts;
  const { registry } = parts.agents;
  return {
    ...{ store, clock, results, refusals, contractReport },
    findSuite: suites.find,
    suiteSignature: suites.signature,
    gates: config.gates,
    tolerance: config.regression.tolerance,
    agents: registry,
    chooseModel: registry.chooseModel,
    revokedVersions: registry.revoked,
    contractOf: contracts.of,
    overridesOf: annotations.overridesOf,
    calibrationOf: calibrations.of,
    hostJudge: judgeCatalogue.pinned,
  };
}
