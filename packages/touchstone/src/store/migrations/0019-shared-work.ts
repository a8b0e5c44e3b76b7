import type { Dialect } from '../dialect.js';

/**
 * The open work of runs that several processes execute: who holds which share of a run's concurrency, and which units were
 * claimed. Rows live as long as the work is open. `epoch` is the token of the lease that opened it.
 */
export const sharedWork = (t: Dialect): readonly string[] => [
  `CREATE TABLE work (
    run_no ${t.integer} NOT NULL PRIMARY KEY,
    epoch ${t.integer} NOT NULL,
    first_unit ${t.integer} NOT NULL,
    units ${t.integer} NOT NULL,
    has_sealed ${t.integer} NOT NULL,
    ceiling_usd ${t.real},
    environment ${t.text},
    stop ${t.text}
  )${t.clustered}`,
  `CREATE TABLE assignments (
    run_no ${t.integer} NOT NULL,
    place ${t.integer} NOT NULL,
    epoch ${t.integer} NOT NULL,
    slots ${t.integer} NOT NULL,
    token ${t.integer} NOT NULL,
    since ${t.integer} NOT NULL,
    holder ${t.text},
    PRIMARY KEY (run_no, place)
  )${t.clustered}`,
  `CREATE TABLE claims (
    run_no ${t.integer} NOT NULL,
    epoch ${t.integer} NOT NULL,
    first_unit ${t.integer} NOT NULL,
    units ${t.integer} NOT NULL,
    place ${t.integer} NOT NULL,
    token ${t.integer} NOT NULL,
    serial ${t.integer} NOT NULL,
    is_open ${t.integer} NOT NULL,
    deaths ${t.integer} NOT NULL,
    alone_unit ${t.integer},
    PRIMARY KEY (run_no, epoch, first_unit)
  )${t.clustered}`,
  'CREATE INDEX claims_open ON claims (run_no, epoch, place) WHERE is_open = 1',
];
