import { asId, type Version } from '@touchstone/contract';
import type { BoundAgents } from '@touchstone/contract/ports';
import type { Db } from './db.js';
import { textAt, toBoundAgent } from './rows.js';

const INSERT = `INSERT INTO bound_agents (tenant, workspace, agent_id, version, digest, spec, installed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, agent_id, version) DO NOTHING`;
const GET = `SELECT agent_id, version, digest, spec FROM bound_agents
  WHERE tenant = ? AND workspace = ? AND agent_id = ? AND version = ?`;
const VERSIONS = `SELECT version FROM bound_agents
  WHERE tenant = ? AND workspace = ? AND agent_id = ? ORDER BY installed_at, version`;
const LIST = `SELECT agent_id, version, digest, spec FROM bound_agents
  WHERE tenant = ? AND workspace = ? ORDER BY agent_id, installed_at, version`;

export function createBoundAgents(db: Db): BoundAgents {
  return {
    async put(owner, agent, installedAt) {
      const key = [owner.tenant, owner.workspace, agent.agentId, agent.version];
      const [inserted, read] = await db.transaction([
        { sql: INSERT, params: [...key, agent.digest, JSON.stringify(agent.spec), installedAt] },
        { sql: GET, params: key },
      ]);
      if (inserted?.changes === 1) return 'created';
      return read?.rows[0]?.digest === agent.digest ? 'same' : 'conflict';
    },
    async get(owner, agentId, version) {
      const [row] = await db.all(GET, [owner.tenant, owner.workspace, agentId, version]);
      return row && toBoundAgent(row);
    },
    async versions(owner, agentId) {
      const rows = await db.all(VERSIONS, [owner.tenant, owner.workspace, agentId]);
      return rows.map((row) => asId<Version>(textAt(row, 'version')));
    },
    async list(owner) {
      return (await db.all(LIST, [owner.tenant, owner.workspace])).map(toBoundAgent);
    },
  };
}
