// The door for commands that work without a server. It must stay free of Fastify, pino and everything else that only a
// server needs: `touchstone run` pays for each import with time its user waits.

export { prepareModuleThread } from '../agents/index.js';
export { createTouchstone, type LocalTouchstone } from './compose.js';
export { type Config, loadConfig } from './config.js';
export type * from './touchstone.js';
