import type { Dialect } from '../dialect.js';

/**
 * Rates that processes share: how long and how often the other side of a connection has refused, and what is left of a limit. All
 * of it, and who works, is told anew within seconds: where that costs less, a crash of the server may lose it.
 */
export const pacesAndBuckets = (t: Dialect): readonly string[] => [
  `CREATE TABLE paces (
    name ${t.text} NOT NULL PRIMARY KEY,
    held_until ${t.integer} NOT NULL,
    refusals ${t.integer} NOT NULL,
    used_at ${t.integer} NOT NULL
  )${t.clustered}`,
  `CREATE TABLE buckets (
    name ${t.text} NOT NULL PRIMARY KEY,
    tokens ${t.real} NOT NULL,
    taken ${t.real} NOT NULL,
    at ${t.integer} NOT NULL
  )${t.clustered}`,
  ...['paces', 'buckets', 'workers'].flatMap(t.losable),
];
