export { STORED_TABLES } from './copy/tables.js';
export { damagedError } from './damaged.js';
export { withRecentResults } from './log/recent-results.js';
export { copyStore, createMemoryStore, openPostgresStore, openStore } from './open-store.js';
export { isPostgresUrl, postgresPassword } from './postgres/postgres-address.js';
export { retried, withRetriedReads } from './retried-reads.js';
export { isOpenToOthers, MEMORY } from './sqlite/open-sqlite.js';
export type { StoreTimes } from './timed-db.js';
