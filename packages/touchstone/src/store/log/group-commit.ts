import { threadMs } from '../../ports/index.js';
import { GuardFailed, type Outcome, type Statement } from '../db.js';

/** A connection on which every call has finished when it returns. */
export type Connection = {
  begin(): void;
  run(statement: Statement): Outcome;
  commit(): void;
  /** Never throws: it is called when something else already went wrong. */
  rollback(): void;
};

/** Of a host: how the time of writing is counted for tenants. */
export type Writing = { elapsed(): number; charge(tenant: string, ms: number): void };

type Batch = {
  readonly statements: readonly Statement[];
  readonly characters: number;
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
};
type Failure = { readonly error: unknown; readonly locked: boolean };

/** Longest group. Beyond it readers would wait too long for their turn, and the flush is already well shared. */
const MAX_GROUP = 512;
/** A group also ends here: the flush of more takes as long as several flushes, and everybody waits for it. */
export const MAX_CHARACTERS = 524_288;

type GroupCommit = {
  submit(statements: readonly Statement[]): Promise<readonly Outcome[]>;
  /** Writes everything submitted so far, now. */
  flush(): void;
};

/**
 * Batches submitted during one turn of the event loop share a transaction, hence one disk flush: at 32 tasks at a time
 * that is the difference between 3,000 and 30,000 commits a second. A batch that fails must not take its neighbours
 * down, so a failed group is undone and its batches are tried again one by one; a failure is rare, a savepoint per
 * batch would be paid always.
 */
export function createGroupCommit(connection: Connection, writing?: Writing): GroupCommit {
  let queue: Batch[] = [];
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const group = queue.splice(0, groupLength(queue));
      if (queue.length > 0) schedule();
      if (group.length > 0) writeGroup(connection, group, writing);
    });
  }

  return {
    submit(statements) {
      return new Promise((resolve, reject) => {
        queue.push({ statements, characters: charactersIn(statements), resolve, reject });
        schedule();
      });
    },
    flush() {
      const group = queue;
      queue = [];
      if (group.length > 0) writeGroup(connection, group, writing);
    },
  };
}

function charactersIn(statements: readonly Statement[]): number {
  let characters = 0;
  for (const { params } of statements)
    for (const value of params) if (typeof value === 'string') characters += value.length;
  return characters;
}

/** As many as share a flush; the first one in any case. */
function groupLength(queue: readonly Batch[]): number {
  let characters = 0;
  const end = queue.findIndex((batch, index) => {
    characters += batch.characters;
    return index > 0 && (characters > MAX_CHARACTERS || index >= MAX_GROUP);
  });
  return end < 0 ? queue.length : end;
}

function writeGroup(connection: Connection, group: readonly Batch[], writing?: Writing): void {
  const startedAt = writing?.elapsed() ?? 0;
  writeAll(connection, group);
  if (writing) chargeGroup(group, writing, writing.elapsed() - startedAt);
}

/** Content is written to the log first and into its table later. */
const WRITE_WEIGHT = 2;
/** Counted of a flush at most, beside the time that the content takes. */
const FLUSH_MS = 10;

/**
 * What a group has taken, by the length of what each tenant has stored with it. When the disk is slow, for whatever reason, that is
 * no tenant's doing: it would wait seconds for a commit of a few lines.
 */
function chargeGroup(group: readonly Batch[], { charge }: Writing, elapsedMs: number): void {
  const all = group.reduce((sum, { characters }) => sum + characters, 0);
  const tookMs = Math.min(elapsedMs, FLUSH_MS + threadMs(WRITE_WEIGHT * all));
  for (const { statements, characters } of group) {
    const tenant = statements.find((statement) => statement.tenant !== undefined)?.tenant;
    if (tenant !== undefined && all > 0) charge(tenant, (tookMs * characters) / all);
  }
}

/** What a batch costs this thread when another process writes it. */
export function chargeBatch(statements: readonly Statement[], { charge }: Writing): void {
  const tenant = statements.find((statement) => statement.tenant !== undefined)?.tenant;
  if (tenant !== undefined) charge(tenant, threadMs(charactersIn(statements)));
}

function writeAll(connection: Connection, group: readonly Batch[]): void {
  const failure = tryTogether(connection, group);
  if (failure === undefined) return;
  if (failure.locked || group.length === 1) rejectAll(group, failure.error);
  else writeOneByOne(connection, group);
}

function writeOneByOne(connection: Connection, group: readonly Batch[]): void {
  for (const [index, batch] of group.entries()) {
    const failure = tryTogether(connection, [batch]);
    // Waiting for the lock once was long enough; the rest would each wait as long again.
    if (failure?.locked) {
      rejectAll(group.slice(index), failure.error);
      return;
    }
    if (failure) batch.reject(failure.error);
  }
}

function tryTogether(connection: Connection, group: readonly Batch[]): Failure | undefined {
  try {
    connection.begin();
  } catch (error) {
    return { error, locked: true };
  }
  const outcomes: (readonly Outcome[])[] = [];
  try {
    for (const batch of group) outcomes.push(runBatch(connection, batch.statements));
    connection.commit();
  } catch (error) {
    connection.rollback();
    return { error, locked: false };
  }
  group.forEach((batch, index) => {
    batch.resolve(outcomes[index] ?? []);
  });
  return undefined;
}

/** Writes one batch in a transaction of its own, and throws what is wrong with it; nothing is kept then. */
export function writeAlone(connection: Connection, statements: Iterable<Statement>): void {
  connection.begin();
  try {
    runBatch(connection, statements);
    connection.commit();
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function runBatch(connection: Connection, statements: Iterable<Statement>): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (const statement of statements) {
    const outcome = connection.run(statement);
    if (statement.guard && outcome.changes === 0) throw new GuardFailed(outcomes.length);
    outcomes.push(outcome);
  }
  return outcomes;
}

function rejectAll(group: readonly Batch[], error: unknown): void {
  for (const batch of group) batch.reject(error);
}
