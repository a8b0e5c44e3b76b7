import type { Dialect } from '../dialect.js';
import { firstTables } from './0001-first-tables.js';
import { packsAndMemory } from './0002-packs-and-memory.js';
import { draftPacks } from './0003-draft-packs.js';
import { annotationsAndBaselines } from './0004-annotations-and-baselines.js';
import { contracts } from './0005-contracts.js';
import { deploymentsAndAudit } from './0006-deployments-and-audit.js';
import { withdrawnPacks } from './0007-withdrawn-packs.js';
import { removedBodies } from './0008-removed-bodies.js';
import { lostDrives } from './0009-lost-drives.js';
import { claimsAndStoredBytes } from './0010-claims-and-stored-bytes.js';
import { sessions } from './0011-sessions.js';
import { runOutcomes } from './0012-run-outcomes.js';
import { spendIds } from './0013-spend-ids.js';
import { workers } from './0014-workers.js';
import { pacesAndBuckets } from './0015-paces-and-buckets.js';
import { runsByTenantToDrive } from './0016-runs-by-tenant-to-drive.js';
import { signedSuites } from './0017-signed-suites.js';
import { judgesAndCalibrations } from './0018-judges-and-calibrations.js';
import { sharedWork } from './0019-shared-work.js';
import { rowsOfTheLog } from './0020-rows-of-the-log.js';
import { tasksOfSummaries } from './0021-tasks-of-summaries.js';

/** The statements of one step of the schema. Once released a migration is never edited; a change is a new one. */
export type Migration = (dialect: Dialect) => readonly string[];

/** In order: the first is version 1. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  packsAndMemory,
  draftPacks,
  annotationsAndBaselines,
  contracts,
  deploymentsAndAudit,
  withdrawnPacks,
  removedBodies,
  lostDrives,
  claimsAndStoredBytes,
  sessions,
  runOutcomes,
  spendIds,
  workers,
  pacesAndBuckets,
  runsByTenantToDrive,
  signedSuites,
  judgesAndCalibrations,
  sharedWork,
  rowsOfTheLog,
  tasksOfSummaries,
];
