import type { Outcome, Row } from '../db.js';
import { OutcomeUnknown } from '../db.js';
import { type Driver, openClient, type PgClient, type PgResult } from './open-client.js';
import type { PostgresAddress } from './postgres-address.js';
import { codeOf, isEnding, isOfNoUse, reconnectError } from './postgres-errors.js';
import type { WireStatement } from './wire-statement.js';

/** What became of each statement, in order; the first failure makes all later ones of a transaction fail. */
export type Answer = { readonly outcome: Outcome } | { readonly error: unknown };

/** One connection at a time: a lost one is replaced when something is to be sent. */
export type Connection = {
  /** Sends everything without waiting for answers in between. Rejects when nothing was sent, or no answer came to some of it. */
  send(statements: readonly WireStatement[]): Promise<readonly Answer[]>;
  /** Statements that are on their way. */
  readonly pending: number;
  close(): Promise<void>;
};

/** Far above what a usual statement takes, and far below the minute for which a driver keeps what it has executed. */
export const ANSWER_MS = 20_000;
export const UNLIMITED = 0;

export function createConnection(driver: Driver, address: PostgresAddress, answerMs = ANSWER_MS): Connection {
  let client: Promise<PgClient> | undefined;
  let pending = 0;
  const forget = (lost: Promise<PgClient>) => {
    if (client === lost) client = undefined;
  };
  const connected = (): Promise<PgClient> => {
    if (client) return client;
    const opening: Promise<PgClient> = openClient(driver, address, {
      onLost: () => forget(opening),
      answerMs,
    }).catch((error) => {
      forget(opening);
      throw reconnectError(error);
    });
    client = opening;
    return opening;
  };
  return {
    async send(statements) {
      pending += statements.length;
      const used = connected();
      try {
        return await sendAll(await used, statements, () => forget(used));
      } finally {
        pending -= statements.length;
      }
    },
    get pending() {
      return pending;
    },
    async close() {
      const closing = client;
      client = undefined;
      await closing?.then((open) => open.end()).catch(() => undefined);
    },
  };
}

/** Answers come in the order of the statements, so the last one ends it. The driver learns only later that a connection ends. */
function sendAll(
  client: PgClient,
  statements: readonly WireStatement[],
  onEnding: () => void,
): Promise<readonly Answer[]> {
  return new Promise((resolve, reject) => {
    const answers: Answer[] = [];
    const answered = (error: unknown, result?: PgResult) => {
      answers.push(result ? { outcome: toOutcome(result) } : { error });
      if (!result && isOfNoUse(error)) onEnding();
      if (answers.length < statements.length) return;
      const lost = lostIn(answers);
      if (lost) reject(new OutcomeUnknown(lost.error));
      else resolve(answers);
    };
    // The driver writes each statement by itself; held back, all of them leave in one piece.
    const stream = client.connection?.stream;
    stream?.cork();
    for (const statement of statements) client.query(statement, answered);
    stream?.uncork();
  });
}

/**
 * An error without a code is the connection's, and says nothing of what was kept. A server that ends the connection may do so when
 * it has committed and not yet said so: then the last statement is the first to fail.
 */
function lostIn(answers: readonly Answer[]): { readonly error: unknown } | undefined {
  const errors = answers.flatMap((answer) => ('error' in answer ? [answer] : []));
  const [first] = errors;
  const isAtEnd = errors.length === 1 && first === answers.at(-1);
  if (first && isAtEnd && isEnding(first.error)) return first;
  return errors.find(({ error }) => codeOf(error) === undefined);
}

const NO_ROWS: readonly Row[] = [];

function toOutcome({ rows, rowCount, command }: PgResult): Outcome {
  // The server says so when a transaction in which something failed is to be committed.
  if (command === 'ROLLBACK') return { changes: -1, rows: NO_ROWS };
  return { changes: rowCount ?? 0, rows };
}
