import { HostError } from '@touchstone/protocol';
import type { Clock } from '../../ports/index.js';
import { checkText, closedError } from '../access.js';
import { type Db, GuardFailed, type Outcome, OutcomeUnknown, type Statement } from '../db.js';
import { chargeBatch, type Writing } from '../log/group-commit.js';
import { type Answer, type Connection, createConnection, UNLIMITED } from './connection.js';
import { usableVersion, versionIn } from './migrate-postgres.js';
import type { Driver } from './open-client.js';
import { withClient } from './open-postgres.js';
import type { PostgresAddress } from './postgres-address.js';
import { POSTGRES } from './postgres-dialect.js';
import { accessError, codeOf, isEnding, isTransient, unwritable } from './postgres-errors.js';
import { readServerFacts, serverTroubles, serverWarnings, writesIn } from './server-facts.js';
import { asTransaction, wireBatch } from './wire-statement.js';

const WRITERS = 4;
const READERS = 4;

type Options = {
  readonly driver: Driver;
  readonly address: PostgresAddress;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly writing?: Writing | undefined;
};

/**
 * Batches of one queue use one connection, each after the answer to the one before: a batch that is tried again must not be
 * overtaken by its successor. Reads take the connection with the least to do.
 */
export function createPostgresDb({ driver, address, clock, writing }: Options): Db {
  const connect = () => createConnection(driver, address);
  const readers = Array.from({ length: READERS }, connect);
  const scanner = createConnection(driver, address, UNLIMITED);
  const writers = Array.from({ length: WRITERS }, () => createWriter(connect(), address, clock));
  const facts = () => withClient(driver, address, readServerFacts);
  let open = true;
  const checkOpen = () => {
    if (!open) throw closedError();
  };
  const all: Db['all'] = async (sql, params) => {
    checkOpen();
    checkText(params);
    return (await readOn(readers, address, { sql, params })).rows;
  };
  const transaction: Db['transaction'] = async (batch, queue = '') => {
    checkOpen();
    for (const { params } of batch) checkText(params);
    const writer = writers[placeOf(queue)] as Writer;
    const outcomes = await writer.write(batch);
    if (writing) chargeBatch(batch, writing);
    return outcomes;
  };
  const checkWrites = async (): Promise<void> => {
    const [row] = await all(writesIn(address.schema), []);
    if (row?.read_only === 1) throw unwritable('read_only');
    if (row?.granted !== 1) throw unwritable('rights');
  };
  return {
    dialect: POSTGRES,
    all,
    async ping() {
      const [row] = await all(versionIn(address.schema), []);
      usableVersion(row, address.shown);
      await checkWrites();
    },
    async scan(sql, params) {
      checkOpen();
      return (await readOn([scanner], address, { sql, params })).rows;
    },
    transaction,
    load: async (statements) => void (await transaction([...statements])),
    // The server sees to freed space by itself.
    reclaim: async () => false,
    rewrite: async () => undefined,
    async copyTo() {
      throw new HostError(
        'validation_error',
        'A PostgreSQL store is not copied by "touchstone backup". Use pg_dump, or "touchstone store copy" into a file.',
      );
    },
    async check() {
      const troubles = serverTroubles(await facts());
      await checkWrites();
      return troubles;
    },
    warnings: async () => serverWarnings(await facts()),
    async close() {
      if (!open) return;
      open = false;
      await Promise.all(writers.map(({ close }) => close()));
      await Promise.all([...readers, scanner].map((reader) => reader.close()));
    },
  };
}

function placeOf(queue: string): number {
  let hash = 0;
  for (let i = 0; i < queue.length; i += 1) hash = (hash * 31 + queue.charCodeAt(i)) | 0;
  return Math.abs(hash) % WRITERS;
}

/** Reading changes nothing, so a read that was lost with its connection is sent once more. */
async function readOn(
  readers: readonly Connection[],
  address: PostgresAddress,
  statement: Statement,
): Promise<Outcome> {
  const reader = readers.reduce((least, one) => (one.pending < least.pending ? one : least));
  const read = async () => (await attempt(reader, address, [statement]))[0] as Outcome;
  try {
    return await read().catch((error) => (isRepeatable(error) ? read() : Promise.reject(error)));
  } catch (error) {
    // Nothing was to be written, so nothing is unknown: the database is away.
    throw accessError(error instanceof OutcomeUnknown ? error.cause : error);
  }
}

const isRepeatable = (error: unknown): boolean =>
  error instanceof OutcomeUnknown || isTransient(error) || isEnding(error);

type Writer = {
  write(batch: readonly Statement[]): Promise<readonly Outcome[]>;
  close(): Promise<void>;
};

function createWriter(connection: Connection, address: PostgresAddress, clock: Pick<Clock, 'sleep'>): Writer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(batch) {
      const written = last.then(() => writeBatch(() => attempt(connection, address, batch), clock));
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await connection.close();
    },
  };
}

const TRIES = 5;
const PAUSE_MS = 20;

async function writeBatch(
  write: () => Promise<readonly Outcome[]>,
  clock: Pick<Clock, 'sleep'>,
): Promise<readonly Outcome[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(isTransient(error) || isEnding(error)) || tries === TRIES) throw accessError(error);
      await clock.sleep(Math.random() * PAUSE_MS * tries);
    }
  }
}

async function attempt(
  connection: Connection,
  address: PostgresAddress,
  batch: readonly Statement[],
): Promise<readonly Outcome[]> {
  const { statements, places } = asTransaction(wireBatch(batch), address);
  const answers = await connection.send(statements);
  const outcomes = outcomesOf(answers, places);
  const end = answers.at(-1);
  if (!end || 'error' in end || end.outcome.changes < 0) throw new Error('The server has undone a batch.');
  return outcomes;
}

const DIVISION_BY_ZERO = '22012';

/** The outcomes of what has a place in the batch. */
function outcomesOf(answers: readonly Answer[], places: readonly (number | undefined)[]): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (const [index, answer] of answers.entries()) {
    const place = places[index];
    if ('error' in answer) {
      if (codeOf(answer.error) === DIVISION_BY_ZERO && place !== undefined) throw new GuardFailed(place);
      throw answer.error;
    }
    if (place !== undefined) outcomes.push(answer.outcome);
  }
  return outcomes;
}
