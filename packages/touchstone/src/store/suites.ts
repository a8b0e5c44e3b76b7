import { asId, type Digest, type Owner, type TaskId, type Version } from '@touchstone/contract';
import type { Task } from '@touchstone/contract/bodies';
import type { Page, Suite, SuiteHead, Suites } from '@touchstone/contract/ports';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { Db, Row, Statement } from './db.js';
import { jsonAt, numberAt, textAt } from './rows.js';
import { chunksOf } from './suite-chunks.js';

const INSERT = `INSERT INTO suites (tenant, workspace, digest, head) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, digest) DO NOTHING`;
const BY_DIGEST = 'tenant = ? AND workspace = ? AND digest = ?';
const INSERT_CHUNK = `INSERT INTO suite_chunks (suite_no, first_ordinal, task_ids, tasks)
  SELECT suite_no, ?, ?, ? FROM suites WHERE ${BY_DIGEST} ON CONFLICT (suite_no, first_ordinal) DO NOTHING`;
/** A version names the suite installed last under it; earlier ones stay readable by digest for the runs that used them. */
const NAME = `INSERT INTO suite_versions (tenant, workspace, suite_id, version, suite_no, installed_at)
  SELECT tenant, workspace, ?, ?, suite_no, ? FROM suites WHERE ${BY_DIGEST}
  ON CONFLICT (tenant, workspace, suite_id, version)
  DO UPDATE SET suite_no = excluded.suite_no, installed_at = excluded.installed_at`;

const HEAD_BY_DIGEST = `SELECT head FROM suites WHERE ${BY_DIGEST}`;
const NAMED = `FROM suite_versions v JOIN suites s ON s.suite_no = v.suite_no WHERE v.tenant = ? AND v.workspace = ?`;
const GET = `SELECT s.head ${NAMED} AND v.suite_id = ? AND v.version = ?`;
const VERSIONS = `SELECT version FROM suite_versions WHERE tenant = ? AND workspace = ? AND suite_id = ?
  ORDER BY installed_at, version`;
const LIST = `SELECT s.head, v.suite_id, v.version ${NAMED} AND (v.suite_id, v.version) > (?, ?)
  ORDER BY v.suite_id, v.version LIMIT ?`;

const CHUNKS = `SELECT c.first_ordinal, c.tasks FROM suites s JOIN suite_chunks c ON c.suite_no = s.suite_no
  WHERE s.tenant = ? AND s.workspace = ? AND s.digest = ? AND c.first_ordinal < ?
  AND c.first_ordinal >= COALESCE((SELECT MAX(p.first_ordinal) FROM suite_chunks p
    WHERE p.suite_no = s.suite_no AND p.first_ordinal <= ?), 0)
  ORDER BY c.first_ordinal`;

export function createSuites(db: Db): Suites {
  const heads = async (sql: string, params: readonly string[]): Promise<SuiteHead | undefined> => {
    const [row] = await db.all(sql, params);
    return row && jsonAt<SuiteHead>(row, 'head');
  };
  return {
    async put(owner, suite, installedAt) {
      const known = await heads(HEAD_BY_DIGEST, digestKey(owner, suite.head.digest));
      const content = known ? [] : contentStatements(owner, suite);
      await db.transaction([...content, nameStatement(owner, suite.head, installedAt)]);
    },
    get: (owner, suiteId, version) => heads(GET, [owner.tenant, owner.workspace, suiteId, version]),
    byDigest: (owner, digest) => heads(HEAD_BY_DIGEST, digestKey(owner, digest)),
    async versions(owner, suiteId) {
      const rows = await db.all(VERSIONS, [owner.tenant, owner.workspace, suiteId]);
      return rows.map((row) => asId<Version>(textAt(row, 'version')));
    },
    list: (owner, limit, cursor) => listSuites(db, owner, limit, cursor),
    async tasks(owner, digest, fromOrdinal, limit) {
      const end = fromOrdinal + limit;
      const rows = await db.all(CHUNKS, [...digestKey(owner, digest), end, fromOrdinal]);
      return rows.flatMap((row) => tasksWithin(row, fromOrdinal, end));
    },
    ordinalOf: (owner, digest, taskId) => findOrdinal(db, owner, digest, taskId),
  };
}

const digestKey = (owner: Owner, digest: Digest) => [owner.tenant, owner.workspace, digest];

function contentStatements(owner: Owner, suite: Suite): readonly Statement[] {
  const key = digestKey(owner, suite.head.digest);
  const chunks = chunksOf(suite.tasks).map((chunk) => ({
    sql: INSERT_CHUNK,
    params: [chunk.firstOrdinal, chunk.taskIds, chunk.tasks, ...key],
  }));
  return [{ sql: INSERT, params: [...key, JSON.stringify(suite.head)] }, ...chunks];
}

const nameStatement = (owner: Owner, head: SuiteHead, installedAt: number): Statement => ({
  sql: NAME,
  params: [head.suiteId, head.version, installedAt, ...digestKey(owner, head.digest)],
});

async function listSuites(db: Db, owner: Owner, limit: number, cursor?: string): Promise<Page<SuiteHead>> {
  const after = cursor === undefined ? ['', ''] : decodeCursor(cursor, ['string', 'string']);
  const rows = await db.all(LIST, [owner.tenant, owner.workspace, ...after, limit + 1]);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map((row) => jsonAt<SuiteHead>(row, 'head')),
    ...(last && { nextCursor: encodeCursor([textAt(last, 'suite_id'), textAt(last, 'version')]) }),
  };
}

function tasksWithin(row: Row, from: number, end: number): readonly Task[] {
  const first = numberAt(row, 'first_ordinal');
  return jsonAt<readonly Task[]>(row, 'tasks').slice(Math.max(0, from - first), Math.max(0, end - first));
}

/** The quoted id is searched for in the text of each chunk's ids; only a chunk that has it is parsed. */
async function findOrdinal(
  db: Db,
  owner: Owner,
  digest: Digest,
  taskId: TaskId,
): Promise<number | undefined> {
  const sql = `SELECT c.first_ordinal, c.task_ids FROM suites s JOIN suite_chunks c ON c.suite_no = s.suite_no
    WHERE s.tenant = ? AND s.workspace = ? AND s.digest = ? AND ${db.dialect.placeOf}(c.task_ids, ?) > 0
    ORDER BY c.first_ordinal`;
  for (const row of await db.all(sql, [...digestKey(owner, digest), JSON.stringify(taskId)])) {
    const place = jsonAt<readonly string[]>(row, 'task_ids').indexOf(taskId);
    if (place >= 0) return numberAt(row, 'first_ordinal') + place;
  }
  return undefined;
}
