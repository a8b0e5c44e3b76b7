import type { Dialect } from '../dialect.js';

/** Sign-ins of browsers. They last for hours, so nothing is counted for a tenant. */
export const sessions = (t: Dialect): readonly string[] => [
  `CREATE TABLE sessions (
    session_hash ${t.text} NOT NULL PRIMARY KEY,
    key_hash ${t.text} NOT NULL,
    expires_at ${t.integer} NOT NULL,
    seen_at ${t.integer} NOT NULL
  )${t.clustered}`,
];
