import { onAbort } from '../net/index.js';
import type { Clock, PieceKind, ThreadShares } from '../ports/index.js';
import { createArrivals } from './arrivals.js';
import { type Account, createAccounts, type Piece, type Queue } from './thread-accounts.js';

type ShareParts = {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** How far a tenant may be ahead of its share before its next piece of work waits. */
  readonly aheadMs: number;
  /** Called for each piece of work that waits because its tenant is ahead. */
  readonly onWait?: () => void;
};

/**
 * Work of one tenant that is begun in one turn of the event loop, unless a single piece is longer. A request that comes
 * meanwhile waits for the whole turn, and most pieces take longer than they say.
 */
const TURN_MS = 2;
/** Requests go on for so much longer when their tenant is ahead. Its runs have stopped by then and use nothing more. */
const PATIENCE = { work: 1, request: 4, read: 4 };
const KINDS = ['read', 'request', 'work'] as const;
/** While somebody waits it is looked again so often: shares grow when others have become quiet. */
const LOOK_MS = 10;

/**
 * Of the tenants that are ahead of their share, those wait that are further ahead than the average: of two busy ones the
 * busier one, so that the thread is not left idle and the other one's requests are answered at once.
 */
export function createThreadShares({ clock, aheadMs, onWait }: ShareParts): ThreadShares {
  const accounts = createAccounts(clock);
  const arrivals = createArrivals(clock.elapsed);
  let turnEnds = false;
  let sleeps = false;

  const isAhead = (account: Account, kind: PieceKind): boolean =>
    accounts.isAboveAverage(account) && account.aheadMs > PATIENCE[kind] * aheadMs;
  const hasTurn = ({ turnMs }: Queue, ms: number): boolean => turnMs === 0 || turnMs + ms <= TURN_MS;
  const count = (queue: Queue, ms: number): void => {
    queue.turnMs += ms;
    endTurn();
  };

  function endTurn(): void {
    if (turnEnds) return;
    turnEnds = true;
    onceLooked(beginTurn);
  }

  function beginTurn(): void {
    if (arrivals.holdWork()) {
      onceLooked(beginTurn);
      return;
    }
    turnEnds = false;
    for (const { queues } of accounts.all()) for (const kind of KINDS) queues[kind].turnMs = 0;
    beginWaiting();
  }

  function beginWaiting(): void {
    for (const account of accounts.all())
      for (const kind of KINDS) {
        const queue = account.queues[kind];
        if (queue.waiting.size === 0) continue;
        if (isAhead(account, kind)) lookAgain();
        else beginNext(queue);
      }
  }

  function beginNext(queue: Queue): void {
    for (const piece of queue.waiting) {
      if (!hasTurn(queue, piece.ms)) break;
      queue.waiting.delete(piece);
      count(queue, piece.ms);
      piece.begin();
    }
    if (queue.waiting.size > 0) endTurn();
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
    enter(tenant, ms, signal, kind = 'work') {
      signal?.throwIfAborted();
      const account = accounts.of(tenant);
      const queue = account.queues[kind];
      const ahead = isAhead(account, kind);
      if (queue.waiting.size === 0 && !ahead && hasTurn(queue, ms)) return count(queue, ms);
      if (ahead) onWait?.();
      endTurn();
      return wait(queue, ms, signal);
    },
    charge(tenant, ms) {
      accounts.charge(accounts.of(tenant), ms);
    },
    arrived: arrivals.arrived,
  };
}

/** When the event loop has looked at all connections. The first of the two comes before that. */
const onceLooked = (next: () => void): void => void setImmediate(() => setImmediate(next));

const wait = ({ waiting }: Queue, ms: number, signal: AbortSignal | undefined): Promise<void> =>
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
