import type { AgentId, Digest, Scorecard } from '@touchstone/protocol';
import type { Baselines, Blessing } from '../ports/index.js';
import type { Db } from './db.js';
import { jsonAt } from './rows.js';

/** The run is looked for by the write itself: one that has just been removed is not blessed. */
const BLESS = `INSERT INTO blessings (tenant, workspace, suite_digest, agent_id, judge_digest, at, blessing)
  SELECT ?, ?, ?, ?, ?, ?, ? FROM runs WHERE run_id = ? AND tenant = ? AND workspace = ?`;
const SELECT = 'SELECT blessing FROM blessings WHERE tenant = ? AND workspace = ?';
const NEWEST_FIRST = 'ORDER BY at DESC, blessing_no DESC';
const LIST = `${SELECT} ${NEWEST_FIRST}`;
const FIND = `${SELECT} AND suite_digest = ? AND agent_id = ? AND judge_digest = ? ${NEWEST_FIRST} LIMIT 1`;
const KEEP = `INSERT INTO scorecards (tenant, workspace, run_id, scorecard) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, run_id) DO UPDATE SET scorecard = excluded.scorecard`;
const KEPT = 'SELECT scorecard FROM scorecards WHERE tenant = ? AND workspace = ? AND run_id = ?';

export function createBaselines(db: Db): Baselines {
  return {
    async bless(owner, blessing) {
      const { suite, agent, judge, at } = blessing;
      const subject = subjectParams(suite.digest, agent.agentId, judge);
      const { tenant, workspace } = owner;
      const run = [blessing.runId, tenant, workspace];
      const params = [tenant, workspace, ...subject, at, JSON.stringify(blessing), ...run];
      const [outcome] = await db.transaction([{ sql: BLESS, params }]);
      return (outcome?.changes ?? 0) > 0;
    },
    async list(owner) {
      const rows = await db.all(LIST, [owner.tenant, owner.workspace]);
      return rows.map((row) => jsonAt<Blessing>(row, 'blessing'));
    },
    async find(owner, { suite, agentId, judge }) {
      const params = [owner.tenant, owner.workspace, ...subjectParams(suite, agentId, judge)];
      const [row] = await db.all(FIND, params);
      return row && jsonAt<Blessing>(row, 'blessing');
    },
    async keep(owner, scorecard) {
      const params = [owner.tenant, owner.workspace, scorecard.runId, JSON.stringify(scorecard)];
      await db.transaction([{ sql: KEEP, params }]);
    },
    async kept(owner, runId) {
      const [row] = await db.all(KEPT, [owner.tenant, owner.workspace, runId]);
      return row && jsonAt<Scorecard>(row, 'scorecard');
    },
  };
}

const subjectParams = (suite: Digest, agentId: AgentId, judge: Digest | undefined): readonly string[] => [
  suite,
  agentId,
  judge ?? '',
];
