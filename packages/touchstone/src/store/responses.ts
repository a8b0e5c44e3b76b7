import type { Body } from '@touchstone/protocol/bodies';
import type { Responses } from '../ports/index.js';
import { type Db, queueOf } from './db.js';
import { jsonAt } from './rows.js';

/** The first answer stays, so that all who asked the same question at once go on with the same answer afterwards. */
const PUT = `INSERT INTO model_responses (tenant, workspace, question, answer, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, question) DO NOTHING`;
const GET = 'SELECT answer FROM model_responses WHERE tenant = ? AND workspace = ? AND question = ?';

export function createResponses(db: Db): Responses {
  return {
    async get(owner, question) {
      const [row] = await db.all(GET, [owner.tenant, owner.workspace, question]);
      return row && jsonAt<Body>(row, 'answer');
    },
    async put(owner, question, answer, at) {
      const params = [owner.tenant, owner.workspace, question, JSON.stringify(answer), at];
      await db.transaction([{ sql: PUT, params }], queueOf(owner));
    },
  };
}
