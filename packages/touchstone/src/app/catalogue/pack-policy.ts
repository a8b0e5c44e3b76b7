import { checkForeignSchema } from '../../agents/index.js';
import { ENGINE_VERSION } from '../../engine/index.js';
import type { PackOptions } from '../../packs/index.js';
import type { Clock } from '../../ports/index.js';
import { capabilitiesOf, IMPLEMENTED_MODES, offers } from '../capabilities.js';
import type { Config } from '../config/config.js';
import { systemClock } from '../system.js';
import { createCheckingTime } from './schema-budget.js';

/** Whether this host offers what agents and packs ask for; which version of it makes no difference. */
export function capabilityCheck(config: Config): (name: string) => boolean {
  const facts = { config, implementedModes: IMPLEMENTED_MODES, version: '0', engineVersion: ENGINE_VERSION };
  const capabilities = capabilitiesOf(facts);
  return (name) => offers(capabilities, name);
}

/** What a pack is held against when it is opened or built. */
export const packOptions = (config: Config, clock: Clock = systemClock): PackOptions => ({
  hasCapability: capabilityCheck(config),
  openSchemaCheck: () => {
    const time = createCheckingTime(clock);
    return (schema) =>
      time.isOver() ? [{ pointer: '', message: SLOW_SCHEMAS }] : time.spend(() => checkForeignSchema(schema));
  },
});

const SLOW_SCHEMAS = 'The schemas of this pack take too long to compile. Simplify them.';
