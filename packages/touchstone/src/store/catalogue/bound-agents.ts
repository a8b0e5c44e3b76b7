import { asId, type Owner, type Version } from '@touchstone/protocol';
import type { BoundAgent, BoundAgents } from '../../ports/index.js';
import type { Db, SqlValue, Statement } from '../db.js';
import type { Dialect } from '../dialect.js';
import { textAt, toBoundAgent } from '../rows.js';

const INSERT = `INSERT INTO bound_agents (tenant, workspace, agent_id, version, digest, spec, installed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, agent_id, version)`;
const BIND = `${INSERT} DO NOTHING`;
const REBIND = `${INSERT} DO UPDATE SET digest = excluded.digest, spec = excluded.spec,
  installed_at = excluded.installed_at`;
/** Touches a row when the version is new or bound to this very agent, and none when it is bound to another. */
const BIND_ONCE = `${INSERT} DO UPDATE SET digest = excluded.digest WHERE bound_agents.digest = excluded.digest`;
const GET = `SELECT agent_id, version, digest, spec FROM bound_agents
  WHERE tenant = ? AND workspace = ? AND agent_id = ? AND version = ?`;
const VERSIONS = `SELECT version FROM bound_agents
  WHERE tenant = ? AND workspace = ? AND agent_id = ? ORDER BY installed_at, version`;
const list = ({ without }: Dialect): string => `SELECT agent_id, version, digest,
  ${without('spec', ['run', 'systemPrompt'])} AS spec FROM bound_agents
  WHERE tenant = ? AND workspace = ? ORDER BY agent_id, installed_at, version`;

export function createBoundAgents(db: Db): BoundAgents {
  return {
    async put(owner, agent, installedAt) {
      const [inserted, read] = await db.transaction([
        { sql: BIND, params: agentParams(owner, agent, installedAt) },
        { sql: GET, params: [owner.tenant, owner.workspace, agent.agentId, agent.version] },
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
      return (await db.all(list(db.dialect), [owner.tenant, owner.workspace])).map(toBoundAgent);
    },
  };
}

const agentParams = (owner: Owner, agent: BoundAgent, installedAt: number): readonly SqlValue[] => [
  owner.tenant,
  owner.workspace,
  agent.agentId,
  agent.version,
  agent.digest,
  JSON.stringify(agent.spec),
  installedAt,
];

/** As a guard: a version that is bound to another agent undoes the whole batch. */
export const bindOnceStatement = (owner: Owner, agent: BoundAgent, installedAt: number): Statement => ({
  sql: BIND_ONCE,
  params: agentParams(owner, agent, installedAt),
  guard: true,
});

export const rebindStatement = (owner: Owner, agent: BoundAgent, installedAt: number): Statement => ({
  sql: REBIND,
  params: agentParams(owner, agent, installedAt),
});
