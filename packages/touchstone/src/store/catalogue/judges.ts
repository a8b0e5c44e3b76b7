import { asId, type Digest, type Owner, type Version } from '@touchstone/protocol';
import type { Judges, StoredJudge } from '../../ports/index.js';
import { type Db, GuardFailed, type Row, type Statement } from '../db.js';
import { jsonAt, textAt } from '../rows.js';

const CONTENT = `INSERT INTO judges (tenant, workspace, digest, judge) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, digest) DO NOTHING`;
const NAME = `INSERT INTO judge_versions (tenant, workspace, judge_id, version, digest, installed_at)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, workspace, judge_id, version)`;
const RENAME = `${NAME} DO UPDATE SET digest = excluded.digest, installed_at = excluded.installed_at`;
/** Touches a row when there is none of this version or this very one, and none when it has other content. */
const NAME_ONCE = `${NAME} DO UPDATE SET digest = excluded.digest WHERE judge_versions.digest = excluded.digest`;
const NAMED = `SELECT v.judge_id, v.version, v.digest, j.judge FROM judge_versions v JOIN judges j
  ON j.tenant = v.tenant AND j.workspace = v.workspace AND j.digest = v.digest
  WHERE v.tenant = ? AND v.workspace = ?`;
const GET = `${NAMED} AND v.judge_id = ? AND v.version = ?`;
const LIST = `${NAMED} ORDER BY v.judge_id, v.version`;
const BY_DIGEST = 'SELECT digest, judge FROM judges WHERE tenant = ? AND workspace = ? AND digest = ?';

export function createJudges(db: Db): Judges {
  const get: Judges['get'] = async (owner, judgeId, version) => {
    const [row] = await db.all(GET, [...ownerParams(owner), judgeId, version]);
    return row && toJudge(row);
  };
  return {
    get,
    async install(owner, judge, at) {
      const known = await get(owner, judge.judgeId, judge.version);
      if (known) return known.digest === judge.digest ? 'same' : 'conflict';
      try {
        await db.transaction(judgeOnceStatements(owner, judge, at));
        return 'created';
      } catch (error) {
        if (error instanceof GuardFailed) return 'conflict';
        throw error;
      }
    },
    async replace(owner, judge, at) {
      await db.transaction(judgeStatements(owner, judge, at));
    },
    async list(owner) {
      return (await db.all(LIST, ownerParams(owner))).map(toJudge);
    },
    async byDigest(owner, digest) {
      const [row] = await db.all(BY_DIGEST, [...ownerParams(owner), digest]);
      return row && jsonAt(row, 'judge');
    },
  };
}

// Statements, not calls, so that a pack can write them in its own transaction.

export const judgeStatements = (owner: Owner, judge: StoredJudge, at: number): readonly Statement[] => [
  contentStatement(owner, judge),
  { sql: RENAME, params: nameParams(owner, judge, at) },
];

/** With a guard: a version that has other content undoes the whole batch. */
export const judgeOnceStatements = (owner: Owner, judge: StoredJudge, at: number): readonly Statement[] => [
  contentStatement(owner, judge),
  { sql: NAME_ONCE, params: nameParams(owner, judge, at), guard: true },
];

const ownerParams = ({ tenant, workspace }: Owner) => [tenant, workspace];

const contentStatement = (owner: Owner, { digest, judge }: StoredJudge): Statement => ({
  sql: CONTENT,
  params: [...ownerParams(owner), digest, JSON.stringify(judge)],
});

const nameParams = (owner: Owner, { judgeId, version, digest }: StoredJudge, at: number) => [
  ...ownerParams(owner),
  judgeId,
  version,
  digest,
  at,
];

const toJudge = (row: Row): StoredJudge => ({
  judgeId: textAt(row, 'judge_id'),
  version: asId<Version>(textAt(row, 'version')),
  digest: asId<Digest>(textAt(row, 'digest')),
  judge: jsonAt(row, 'judge'),
});
