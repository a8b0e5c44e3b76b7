import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkForeignSchema } from '../agents/index.js';
import { ENGINE_VERSION } from '../engine/index.js';
import { type PackOptions, parseTrust, type Trust } from '../suites/index.js';
import { capabilitiesOf, IMPLEMENTED_MODES, offers } from './capabilities.js';
import type { Config } from './config.js';

/** Whether this host offers what agents and packs ask for; which version of it makes no difference. */
export function capabilityCheck(config: Config): (name: string) => boolean {
  const facts = { config, implementedModes: IMPLEMENTED_MODES, version: '0', engineVersion: ENGINE_VERSION };
  const capabilities = capabilitiesOf(facts);
  return (name) => offers(capabilities, name);
}

/** What a pack is held against when it is opened or built. */
export const packOptions = (config: Config): PackOptions => ({
  hasCapability: capabilityCheck(config),
  checkSchema: checkForeignSchema,
});

/** Whom the operator believes. A host that serves others wants signatures unless it is told otherwise. */
export const trustOf = (config: Config, origin: 'host' | 'cli'): Trust =>
  parseTrust(config.trust, origin === 'host' ? 'verified' : 'open', (path) =>
    readFileSync(resolve(config.baseDir, path), 'utf8'),
  );
