import { onAbort } from '../net/index.js';
import type { Clock, ThreadShares } from '../ports/index.js';
import { type Account, createAccounts, type Piece } from './thread-accounts.js';

type ShareParts = {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** How far a tenant may be ahead of its share before its next piece of work waits. */
  readonly aheadMs: number;
  /** Called for each piece of work that waits because its tenant is ahead. */
  readonly onWait?: () => void;
};

/** Work of one tenant that is begun in one turn of the event loop, unless a single piece is longer. */
const TURN_MS = 10;
/** While somebody waits it is looked again so often: shares grow when others have become quiet. */
const LOOK_MS = 10;

/**
 * Of the tenants that are ahead of their share, those wait that are further ahead than the average: of two busy ones the
 * busier one, so that the thread is not left idle and the other one's requests are answered at once.
 */
export function createThreadShares({ clock, aheadMs, onWait }: ShareParts): ThreadShares {
  const accounts = createAccounts(clock);
  let turnEnds = false;
  let sleeps = false;

  const isAhead = (account: Account): boolean =>
    accounts.isAboveAverage(account) && account.aheadMs > aheadMs;
  const hasTurn = ({ turnMs }: Account, ms: number): boolean => turnMs === 0 || turnMs + ms <= TURN_MS;
  const count = (account: Account, ms: number): void => {
    account.turnMs += ms;
    endTurn();
  };

  function endTurn(): void {
    if (turnEnds) return;
    turnEnds = true;
    // The first one comes before the event loop has looked at any connection.
    setImmediate(() => setImmediate(beginTurn));
  }

  function beginTurn(): void {
    turnEnds = false;
    for (const account of accounts.all()) account.turnMs = 0;
    beginWaiting();
  }

  function beginWaiting(): void {
    for (const account of accounts.all()) {
      if (account.waiting.size === 0) continue;
      if (isAhead(account)) lookAgain();
      else beginNext(account);
    }
  }

  function beginNext(account: Account): void {
    for (const piece of account.waiting) {
      if (!hasTurn(account, piece.ms)) break;
      account.waiting.delete(piece);
      count(account, piece.ms);
      piece.begin();
    }
    if (account.waiting.size > 0) endTurn();
  }

  function lookAgain(): void {
    if (sleeps) return;
    sleeps = true;
    void clock.sleep(LOOK_MS).then(() => {
      sleeps = false;
      beginWaiting();
    });
  }

  return {
    enter(tenant, ms, signal) {
      signal?.throwIfAborted();
      const account = accounts.of(tenant);
      const ahead = isAhead(account);
      if (account.waiting.size === 0 && !ahead && hasTurn(account, ms)) return count(account, ms);
      if (ahead) onWait?.();
      endTurn();
      return wait(account, ms, signal);
    },
    charge(tenant, ms) {
      accounts.charge(accounts.of(tenant), ms);
    },
  };
}

const wait = ({ waiting }: Account, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const begin = (): void => {
      stopListening();
      resolve();
    };
    const piece: Piece = { ms, begin };
    const stopListening = onAbort(signal, () => {
      waiting.delete(piece);
      reject(signal?.reason);
    });
    waiting.add(piece);
  });
