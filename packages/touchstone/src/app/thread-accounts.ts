import type { Clock, PieceKind } from '../ports/index.js';

export type Piece = { readonly ms: number; readonly begin: () => void };

/** Pieces of one kind: what has been begun in this turn of the event loop, and what waits. */
export type Queue = { turnMs: number; readonly waiting: Set<Piece> };

/** What a tenant has used of the thread beyond its share, as of `at`, and what waits. */
export type Account = {
  aheadMs: number;
  at: number;
  /** When it has last used the thread. */
  usedAt: number;
  readonly queues: { readonly [kind in PieceKind]: Queue };
};

export type Accounts = {
  /** The account of a tenant that uses the thread now. */
  of(tenant: string): Account;
  all(): Iterable<Account>;
  charge(account: Account, ms: number): void;
  /** Whether others use the thread as well, and on average are not as far ahead. */
  isAboveAverage(account: Account): boolean;
};

/** A tenant that has used nothing for so long leaves its share to the others. */
const ACTIVE_MS = 1_000;
/** What was used beyond this is forgotten: a tenant need not pay for a busy hour by another one. */
const MOST_AHEAD_MS = 10_000;

/**
 * A tenant that is alone may use the thread as it likes. Of several, each may use 1/(n+1) of the time, where n of them are
 * ahead of their share: one busy tenant leaves half of the time to all others, as with slots.
 */
export function createAccounts(clock: Pick<Clock, 'elapsed'>): Accounts {
  const accounts = new Map<string, Account>();
  const share = (): number => {
    forgetQuiet(accounts, clock.elapsed());
    if (accounts.size <= 1) return 1;
    const busy = [...accounts.values()].filter(({ aheadMs }) => aheadMs > 0).length;
    return 1 / (busy + 1);
  };
  const settle = (): void => {
    const now = clock.elapsed();
    const part = share();
    for (const account of accounts.values()) {
      account.aheadMs = Math.max(0, account.aheadMs - (now - account.at) * part);
      account.at = now;
    }
  };
  return {
    charge(account, ms) {
      account.aheadMs = Math.min(MOST_AHEAD_MS, account.aheadMs + ms);
    },
    isAboveAverage(account) {
      settle();
      let sum = 0;
      for (const { aheadMs } of accounts.values()) sum += aheadMs;
      return accounts.size > 1 && account.aheadMs * accounts.size >= sum;
    },
    all: () => accounts.values(),
    of(tenant) {
      const account = accounts.get(tenant) ?? openAccount(clock.elapsed());
      account.usedAt = clock.elapsed();
      accounts.set(tenant, account);
      settle();
      return account;
    },
  };
}

const openAccount = (now: number): Account => ({
  aheadMs: 0,
  at: now,
  usedAt: now,
  queues: { read: openQueue(), request: openQueue(), work: openQueue() },
});

const openQueue = (): Queue => ({ turnMs: 0, waiting: new Set() });

const isWaiting = ({ queues: { read, request, work } }: Account): boolean =>
  read.waiting.size + request.waiting.size + work.waiting.size > 0;

function forgetQuiet(accounts: Map<string, Account>, now: number): void {
  for (const [tenant, account] of accounts)
    if (now - account.usedAt >= ACTIVE_MS && !isWaiting(account)) accounts.delete(tenant);
}
