import type { CalibrationRecord } from '@touchstone/protocol';
import type { Calibrations } from '../../ports/index.js';
import type { Db } from '../db.js';
import { jsonAt } from '../rows.js';

const ADD = `INSERT INTO calibrations (tenant, workspace, record_id, judge_digest, suite_digest, at, record)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const SELECT = 'SELECT record FROM calibrations WHERE tenant = ? AND workspace = ?';
const LIST = `${SELECT} AND judge_digest = ? AND suite_digest = ? ORDER BY at, record_id`;
const GET = `${SELECT} AND record_id = ?`;

export function createCalibrations(db: Db): Calibrations {
  return {
    async add({ tenant, workspace }, record) {
      const { recordId, judge, suite, at } = record;
      const params = [tenant, workspace, recordId, judge, suite, at, JSON.stringify(record)];
      await db.transaction([{ sql: ADD, params }]);
    },
    async list({ tenant, workspace }, judge, suite) {
      const rows = await db.all(LIST, [tenant, workspace, judge, suite]);
      return rows.map((row) => jsonAt<CalibrationRecord>(row, 'record'));
    },
    async get({ tenant, workspace }, recordId) {
      const [row] = await db.all(GET, [tenant, workspace, recordId]);
      return row && jsonAt<CalibrationRecord>(row, 'record');
    },
  };
}
