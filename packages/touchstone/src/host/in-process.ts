// The door for commands that work without a server. It must stay free of Fastify, pino and everything else that only a
// server needs: `touchstone run` pays for each import with time its user waits.

export {
  createModels,
  createPaces,
  type Models,
  parseModelNames,
  parseProviders,
  prepareModuleThread,
} from '../agents/index.js';
export { readPackFiles } from './boot.js';
export { createTouchstone, type LocalTouchstone } from './compose.js';
export { type Config, loadConfig } from './config.js';
export { packOptions, trustOf } from './pack-policy.js';
export type { InstalledPack } from './pack-shelf.js';
export { systemClock } from './system.js';
export type * from './touchstone.js';
