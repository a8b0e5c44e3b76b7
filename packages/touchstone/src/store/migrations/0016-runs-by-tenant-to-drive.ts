import type { Dialect } from '../dialect.js';

/**
 * Processes look every second for runs to take up: the oldest of each tenant. By tenant, so that a look reads the head of each line
 * and not all of it; and the runs that somebody holds, which are few among many that wait.
 */
export const runsByTenantToDrive = (_: Dialect): readonly string[] => [
  'DROP INDEX runs_unfinished',
  `CREATE INDEX runs_unfinished ON runs (tenant, run_no)
    WHERE origin = 'host' AND status IN ('pending', 'running', 'cancelling', 'paused')`,
  'CREATE INDEX runs_leased ON runs (tenant, run_no) WHERE lease_holder IS NOT NULL',
];
