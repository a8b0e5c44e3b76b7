import type { Outcomes } from '../ports/index.js';
import type { Db } from './db.js';
import { jsonAt, textAt } from './rows.js';

const OF_RUN = 'WHERE u.run_id = ? AND u.tenant = ? AND u.workspace = ?';
const GET = `SELECT o.outcomes, o.figures FROM runs u JOIN run_outcomes o ON o.run_no = u.run_no ${OF_RUN}`;
/** Two that compute the same write the same. */
const KEEP = `INSERT INTO run_outcomes (run_no, outcomes, figures) SELECT u.run_no, ?, ? FROM runs u ${OF_RUN}
  ON CONFLICT (run_no) DO NOTHING`;

export function createOutcomes(db: Db): Outcomes {
  return {
    async get({ tenant, workspace }, runId) {
      const [row] = await db.all(GET, [runId, tenant, workspace]);
      return row && { outcomes: textAt(row, 'outcomes'), figures: jsonAt(row, 'figures') };
    },
    async keep({ tenant, workspace }, runId, { outcomes, figures }) {
      const params = [outcomes, JSON.stringify(figures), runId, tenant, workspace];
      await db.transaction([{ sql: KEEP, params }]);
    },
  };
}
