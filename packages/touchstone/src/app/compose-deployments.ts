import { castVote } from '../deployments/index.js';
import type { Clock, Engine, Ids, RunOrigin, Store } from '../ports/index.js';
import { maskSecrets } from '../scoring/index.js';
import type { AgentCatalogue } from './catalogue/agent-catalogue.js';
import type { Contracts } from './catalogue/contracts.js';
import type { Config } from './config/config.js';
import { createCarryOut } from './deployments/carry-out.js';
import { createDeployments, type Deployments } from './deployments/deployments.js';
import type { EvidenceParts } from './deployments/evidence.js';
import type { Annotations } from './review/annotations.js';

type GateParts = Pick<EvidenceParts, 'findSuite' | 'contractReport' | 'results'> & {
  readonly config: Pick<Config, 'gates' | 'regression'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly origin: RunOrigin;
  readonly registry: Pick<AgentCatalogue, 'find' | 'versions' | 'chooseModel'>;
  readonly contracts: Pick<Contracts, 'of'>;
  readonly annotations: Annotations;
};

/** What the engine needs for deployments and, once there is an engine, the service that moves them. */
export function composeDeployments({
  config,
  registry,
  annotations,
  contracts,
  ids,
  origin,
  ...parts
}: GateParts) {
  const known = {
    ...parts,
    gates: config.gates,
    tolerance: config.regression.tolerance,
    agents: registry,
    chooseModel: registry.chooseModel,
    contractOf: contracts.of,
    overridesOf: annotations.overridesOf,
  };
  return {
    castVote,
    carryOut: createCarryOut(known),
    openDeployments: (drive: Engine['drive']): Deployments =>
      createDeployments({ ...known, ids, origin, drive, mask: maskSecrets }),
  };
}
