import { type AgentDeployments, type AgentId, asId, type Owner } from '@touchstone/protocol';
import type { Deployments } from '../ports/index.js';
import type { Db, Statement } from './db.js';
import { jsonAt, textAt } from './rows.js';

const GET = 'SELECT document FROM deployments WHERE tenant = ? AND workspace = ? AND agent_id = ?';
const AGENT_IDS = 'SELECT agent_id FROM deployments WHERE tenant = ? AND workspace = ? ORDER BY agent_id';
const BEGIN = `INSERT INTO deployments (revision, document, tenant, workspace, agent_id) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, agent_id) DO NOTHING`;
const MOVE = `UPDATE deployments SET revision = ?, document = ?
  WHERE tenant = ? AND workspace = ? AND agent_id = ? AND revision = ?`;

export function createDeployments(db: Db): Deployments {
  return {
    async get(owner, agentId) {
      const [row] = await db.all(GET, [owner.tenant, owner.workspace, agentId]);
      return row && jsonAt<AgentDeployments>(row, 'document');
    },
    async agentIds(owner) {
      const rows = await db.all(AGENT_IDS, [owner.tenant, owner.workspace]);
      return rows.map((row) => asId<AgentId>(textAt(row, 'agent_id')));
    },
  };
}

/** Touches no row when the stored picture is not the one that `next` was decided on. */
export function moveStatement({ tenant, workspace }: Owner, next: AgentDeployments): Statement {
  const params = [next.revision, JSON.stringify(next), tenant, workspace, next.agentId];
  return next.revision === 1
    ? { sql: BEGIN, params, guard: true }
    : { sql: MOVE, params: [...params, next.revision - 1], guard: true };
}
