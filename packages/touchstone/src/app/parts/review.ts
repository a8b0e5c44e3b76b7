import { maskSecrets } from '../../scoring/index.js';
import { createCalibrations } from '../judges/calibrations.js';
import { createAnnotations } from '../review/annotations.js';
import type { Touchstone } from '../touchstone.js';
import { readContractReport } from '../views/scorecard.js';
import { createTaskTables } from '../views/tasks/task-table.js';
import type { Catalogues } from './catalogues.js';
import type { Basics } from './options.js';
import type { Stores } from './stores.js';

export type Review = ReturnType<typeof openReview>;

/** What people and contracts say of runs that have ended. */
export function openReview({ store, results, clock, ids, log, contracts }: Basics & Stores & Catalogues) {
  const contractReport: Touchstone['contractReport'] = (owner, runId) =>
    readContractReport({ store, results, contracts }, owner, runId);
  const sources = { store, openThresholds: contracts.thresholds };
  const reviewed = { sources, tables: createTaskTables(sources) };
  return {
    contractReport,
    reviewed,
    annotations: createAnnotations({ store, clock, ids, log, mask: maskSecrets }),
    calibrations: createCalibrations(reviewed),
  };
}
