import { onAbort } from '../net/index.js';
import type { Clock, ThreadShares } from '../ports/index.js';

type ShareParts = {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** How far a tenant may be ahead of its share before its next piece of work waits. */
  readonly aheadMs: number;
  /** Called for each piece of work that waits because its tenant is ahead. */
  readonly onWait?: () => void;
};

type Piece = { readonly ms: number; readonly begin: () => void };
/** What a tenant has used beyond its share, as of `at`, and its work that waits. */
type Account = {
  aheadMs: number;
  at: number;
  /** When it has last used the thread. */
  usedAt: number;
  /** What it has begun in this turn of the event loop. */
  turnMs: number;
  readonly waiting: Set<Piece>;
};

/** Work of one tenant that is begun in one turn of the event loop, unless a single piece is longer. */
const TURN_MS = 10;
/** A tenant that has used nothing for so long leaves its share to the others. */
const ACTIVE_MS = 1_000;
const LEAST_SLEEP_MS = 1;

/**
 * A tenant that is alone may use the thread as it likes. Of several, each may use 1/(n+1) of the time, where n of them are
 * ahead of their share: one busy tenant leaves half of the time to all others, as with slots.
 */
export function createThreadShares({ clock, aheadMs, onWait }: ShareParts): ThreadShares {
  const accounts = new Map<string, Account>();
  let turnEnds = false;
  let sleeps = false;

  const isActive = ({ usedAt, waiting }: Account, now: number): boolean =>
    waiting.size > 0 || now - usedAt < ACTIVE_MS;
  const share = (now: number): number => {
    for (const [tenant, account] of accounts) if (!isActive(account, now)) accounts.delete(tenant);
    if (accounts.size <= 1) return 1;
    const busy = [...accounts.values()].filter((account) => account.aheadMs > 0).length;
    return 1 / (busy + 1);
  };
  const settle = (account: Account): void => {
    const now = clock.elapsed();
    account.aheadMs = Math.max(0, account.aheadMs - (now - account.at) * share(now));
    account.at = now;
  };
  const accountOf = (tenant: string): Account => {
    const now = clock.elapsed();
    const account = accounts.get(tenant) ?? {
      ...{ aheadMs: 0, at: now, usedAt: now, turnMs: 0 },
      waiting: new Set<Piece>(),
    };
    account.usedAt = now;
    accounts.set(tenant, account);
    settle(account);
    return account;
  };

  const isAhead = (account: Account): boolean => accounts.size > 1 && account.aheadMs > aheadMs;
  const hasTurn = ({ turnMs }: Account, ms: number): boolean => turnMs === 0 || turnMs + ms <= TURN_MS;
  const count = (account: Account, ms: number): void => {
    account.turnMs += ms;
    endTurn();
  };

  function endTurn(): void {
    if (turnEnds) return;
    turnEnds = true;
    // The first one comes before the event loop has looked at any connection.
    setImmediate(() =>
      setImmediate(() => {
        turnEnds = false;
        for (const account of accounts.values()) account.turnMs = 0;
        beginWaiting();
      }),
    );
  }

  /** Begins what may begin now, and looks again when more may. */
  function beginWaiting(): void {
    let sleepMs = Number.POSITIVE_INFINITY;
    for (const account of accounts.values()) {
      if (account.waiting.size === 0) continue;
      settle(account);
      if (isAhead(account)) sleepMs = Math.min(sleepMs, msUntilWithin(account));
      else beginNext(account);
    }
    if (sleepMs < Number.POSITIVE_INFINITY) lookAgainAfter(sleepMs);
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

  const msUntilWithin = (account: Account): number =>
    Math.max(LEAST_SLEEP_MS, (account.aheadMs - aheadMs) / share(clock.elapsed()));

  function lookAgainAfter(ms: number): void {
    if (sleeps) return;
    sleeps = true;
    void clock.sleep(ms).then(() => {
      sleeps = false;
      beginWaiting();
    });
  }

  const wait = (account: Account, ms: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const piece = {
        ms,
        begin: () => {
          stopListening();
          resolve();
        },
      };
      const stopListening = onAbort(signal, () => {
        account.waiting.delete(piece);
        reject(signal?.reason);
      });
      account.waiting.add(piece);
    });

  return {
    enter(tenant, ms, signal) {
      signal?.throwIfAborted();
      const account = accountOf(tenant);
      const ahead = isAhead(account);
      if (account.waiting.size === 0 && !ahead && hasTurn(account, ms)) return count(account, ms);
      if (ahead) onWait?.();
      const waited = wait(account, ms, signal);
      endTurn();
      return waited;
    },
    charge(tenant, ms) {
      accountOf(tenant).aheadMs += ms;
    },
  };
}
