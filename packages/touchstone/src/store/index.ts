export { damagedError } from './damaged.js';
export { createMemoryStore, openStore } from './open-store.js';
export { isOpenToOthers, MEMORY } from './sqlite/open-sqlite.js';
