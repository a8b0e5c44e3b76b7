import type { Digest, Owner } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type { Suite, SuiteHead } from '../../ports/index.js';
import type { Db, Statement } from '../db.js';

// How a suite is written: its content once per digest, then the name of the version that points to it. Statements, not
// calls, so that a pack can write them in its own transaction.

export const BY_DIGEST = 'tenant = ? AND workspace = ? AND digest = ?';
export const digestKey = (owner: Owner, digest: Digest): readonly string[] => [
  owner.tenant,
  owner.workspace,
  digest,
];

const KNOWN = `SELECT suite_no FROM suites WHERE ${BY_DIGEST}`;
const INSERT = `INSERT INTO suites (tenant, workspace, digest, head) VALUES (?, ?, ?, ?)
  ON CONFLICT (tenant, workspace, digest) DO NOTHING`;
const INSERT_CHUNK = `INSERT INTO suite_chunks (suite_no, first_ordinal, task_ids, tasks)
  SELECT suite_no, ?, ?, ? FROM suites WHERE ${BY_DIGEST} ON CONFLICT (suite_no, first_ordinal) DO NOTHING`;
const INSERT_NAME = `INSERT INTO suite_versions (tenant, workspace, suite_id, version, suite_no, installed_at)
  SELECT tenant, workspace, ?, ?, suite_no, ? FROM suites WHERE ${BY_DIGEST}
  ON CONFLICT (tenant, workspace, suite_id, version)`;
/** A version names the suite installed last under it; earlier ones stay readable by digest for the runs that used them. */
const NAME = `${INSERT_NAME} DO UPDATE SET suite_no = excluded.suite_no, installed_at = excluded.installed_at`;
/** Touches a row when the name is new or stands for this very suite, and none when it stands for another. */
const NAME_ONCE = `${INSERT_NAME} DO UPDATE SET suite_no = excluded.suite_no
  WHERE suite_versions.suite_no = excluded.suite_no`;

/** Nothing for a suite whose content is stored already: it is never changed or removed, so it need not be written out. */
export async function contentStatements(db: Db, owner: Owner, suite: Suite): Promise<Iterable<Statement>> {
  const key = digestKey(owner, suite.head.digest);
  return (await db.all(KNOWN, key)).length > 0 ? [] : statementsOf(owner, suite, key);
}

/** Made one at a time: a long suite is neither read nor written out as a whole. */
function* statementsOf(owner: Owner, suite: Suite, key: readonly string[]): Iterable<Statement> {
  yield { sql: INSERT, params: [...key, JSON.stringify(suite.head)], tenant: owner.tenant };
  let firstOrdinal = 0;
  for (const tasks of suite.stream?.pages() ?? [suite.tasks]) {
    for (const chunk of chunksOf(tasks, firstOrdinal))
      yield { sql: INSERT_CHUNK, params: [chunk.firstOrdinal, chunk.taskIds, chunk.tasks, ...key] };
    firstOrdinal += tasks.length;
  }
}

const nameParams = (owner: Owner, head: SuiteHead, installedAt: number) => [
  head.suiteId,
  head.version,
  installedAt,
  ...digestKey(owner, head.digest),
];

export const nameStatement = (owner: Owner, head: SuiteHead, installedAt: number): Statement => ({
  sql: NAME,
  params: nameParams(owner, head, installedAt),
});

/** As a guard: a version that names another suite undoes the whole batch. */
export const nameOnceStatement = (owner: Owner, head: SuiteHead, installedAt: number): Statement => ({
  sql: NAME_ONCE,
  params: nameParams(owner, head, installedAt),
  guard: true,
});

/** Consecutive tasks of a suite in one row: their ids and themselves, each as the text of a JSON array. */
type Chunk = { readonly firstOrdinal: number; readonly taskIds: string; readonly tasks: string };

const MAX_TASKS = 256;
/** A chunk also ends here, so that a suite of very large inputs is not read back by the hundred megabytes. */
const MAX_CHARACTERS = 1_048_576;

export const chunksOf = (tasks: readonly Task[], firstOrdinal = 0): readonly Chunk[] =>
  cut(tasks, firstOrdinal, MAX_TASKS);

function cut(tasks: readonly Task[], firstOrdinal: number, size: number): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let from = 0; from < tasks.length; from += size)
    chunks.push(...chunksWithin(tasks.slice(from, from + size), firstOrdinal + from));
  return chunks;
}

/** One text for all of these tasks is written several times faster than a text for each. Too long a text is cut again. */
function chunksWithin(tasks: readonly Task[], firstOrdinal: number): readonly Chunk[] {
  const text = JSON.stringify(tasks);
  const parts = Math.ceil((2 * text.length) / MAX_CHARACTERS);
  if (text.length > MAX_CHARACTERS && tasks.length > 1)
    return cut(tasks, firstOrdinal, Math.ceil(tasks.length / parts));
  return [{ firstOrdinal, taskIds: JSON.stringify(tasks.map(({ taskId }) => taskId)), tasks: text }];
}
