export { damagedError } from './damaged.js';
export { createMemoryStore, openPostgresStore, openStore } from './open-store.js';
export { isPostgresUrl, postgresPassword } from './postgres/postgres-address.js';
export { isOpenToOthers, MEMORY } from './sqlite/open-sqlite.js';
