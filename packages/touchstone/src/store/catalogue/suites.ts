import { asId, type Digest, type Owner, type TaskId, type Version } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { SuiteHead, Suites } from '../../ports/index.js';
import { decodeCursor, pageOf } from '../cursor.js';
import { type Db, GuardFailed, type Row } from '../db.js';
import { jsonAt, numberAt, textAt } from '../rows.js';
import { attachOnceStatements, createContracts } from './contracts.js';
import { createSuiteSignatures, signatureStatement } from './suite-signatures.js';
import {
  BY_DIGEST,
  contentStatements,
  digestKey,
  nameOnceStatement,
  nameStatement,
} from './suite-statements.js';

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
    return row && toSuiteHead(row);
  };
  return {
    async put(owner, suite, installedAt, signature) {
      const content = await contentStatements(db, owner, suite);
      const rest = [
        nameStatement(owner, suite.head, installedAt),
        ...(signature ? [signatureStatement(owner, suite.head.digest, signature, installedAt)] : []),
      ];
      if (suite.stream) await db.load(joined(content, rest));
      else await db.transaction([...content, ...rest]);
    },
    async putOnce(owner, suite, contract, installedAt) {
      const content = await contentStatements(db, owner, suite);
      const guarded = [
        nameOnceStatement(owner, suite.head, installedAt),
        ...attachOnceStatements(owner, suite.head.digest, contract, installedAt),
      ];
      return db.transaction([...content, ...guarded]).then(
        () => true,
        (error: unknown) => {
          if (error instanceof GuardFailed) return false;
          throw error;
        },
      );
    },
    get: (owner, suiteId, version) => heads(GET, [owner.tenant, owner.workspace, suiteId, version]),
    byDigest: (owner, digest) => heads(HEAD_BY_DIGEST, digestKey(owner, digest)),
    async versions(owner, suiteId) {
      const rows = await db.all(VERSIONS, [owner.tenant, owner.workspace, suiteId]);
      return rows.map((row) => asId<Version>(textAt(row, 'version')));
    },
    async list(owner, limit, cursor) {
      const after = cursor === undefined ? ['', ''] : decodeCursor(cursor, ['string', 'string']);
      const rows = await db.all(LIST, [owner.tenant, owner.workspace, ...after, limit + 1]);
      return pageOf(rows, limit, toSuiteHead, (row) => [textAt(row, 'suite_id'), textAt(row, 'version')]);
    },
    async tasks(owner, digest, fromOrdinal, limit) {
      const end = fromOrdinal + limit;
      const rows = await db.all(CHUNKS, [...digestKey(owner, digest), end, fromOrdinal]);
      return rows.flatMap((row) => tasksWithin(row, fromOrdinal, end));
    },
    ...createContracts(db),
    ...createSuiteSignatures(db),
    ordinalOf: (owner, digest, taskId) => findOrdinal(db, owner, digest, taskId),
  };
}

function* joined<T>(...lists: readonly Iterable<T>[]): Iterable<T> {
  for (const list of lists) yield* list;
}

/** A suite installed before criteria could be decided without a judge counts as needing one for all its rubrics. */
function toSuiteHead(row: Row): SuiteHead {
  const head = jsonAt<SuiteHead>(row, 'head');
  return { ...head, judgedTasks: (head.judgedTasks as number | undefined) ?? head.rubricTasks };
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
