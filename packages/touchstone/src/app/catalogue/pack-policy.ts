import { HOST_OWNER, type Issue, MODEL_CLASSES, type ModelClass } from '@touchstone/protocol';
import {
  checkBounded,
  chooseModel,
  examineSchema,
  parseModelNames,
  parseProviders,
} from '../../agents/index.js';
import { ENGINE_VERSION } from '../../engine/index.js';
import type { PackOptions } from '../../packs/index.js';
import { type Checker, CheckOverLimit } from '../../ports/index.js';
import { capabilitiesOf, IMPLEMENTED_MODES, offers } from '../capabilities.js';
import { capabilityPath, MODELS_CAPABILITY } from '../capability-names.js';
import type { Config } from '../config/config.js';

/** Whether there is a model for a class of agents. */
type ServesClass = (modelClass: ModelClass) => boolean;
/** Whether this host offers a capability to agents of these classes; which version of it makes no difference. */
export type CapabilityCheck = (name: string, modelClasses: readonly ModelClass[]) => boolean;

export function capabilityCheck(
  config: Config,
  servesClass: ServesClass = configuredClasses(config),
): CapabilityCheck {
  const facts = { config, implementedModes: IMPLEMENTED_MODES, version: '0', engineVersion: ENGINE_VERSION };
  const capabilities = capabilitiesOf(facts);
  return (name, modelClasses) =>
    capabilityPath(name) === MODELS_CAPABILITY ? modelClasses.every(servesClass) : offers(capabilities, name);
}

/** What the operator has configured, whichever tenants it is granted to. */
function configuredClasses(config: Config): ServesClass {
  return (modelClass) => {
    const names = {
      providers: parseProviders(config.providers),
      modelClasses: parseModelNames(config.modelClasses, '/modelClasses', MODEL_CLASSES),
      models: parseModelNames(config.models, '/models'),
    };
    return chooseModel({ ...names, isOnlyTenant: () => true }, HOST_OWNER, { modelClass }).kind === 'model';
  };
}

type PolicyParts = {
  readonly servesClass?: ServesClass;
  /** Opens what makes the checks of one pack; without it they are made at once. */
  readonly openChecker?: () => Checker;
};

/** What a pack is held against when it is opened or built. */
export const packOptions = (
  config: Config,
  { servesClass, openChecker = () => checkBounded }: PolicyParts = {},
): PackOptions => ({
  hasCapability: capabilityCheck(config, servesClass),
  openSchemaCheck: () => {
    const check = openChecker();
    return (schema) => packSchemaIssues(check, schema);
  },
});

async function packSchemaIssues(check: Checker, schema: unknown): Promise<readonly Issue[]> {
  try {
    return await examineSchema(check, schema);
  } catch (error) {
    if (!(error instanceof CheckOverLimit)) throw error;
    return [{ pointer: '', message: 'The schemas of this pack take too long to compile. Simplify them.' }];
  }
}
