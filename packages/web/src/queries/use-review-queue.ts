import type { ReviewItem, ReviewList } from '@touchstone/protocol';
import type { ReviewQuery } from '@touchstone/sdk';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../source.js';

/** So many tasks before the end of what is known the next page is read. */
const AHEAD = 5;
/** One task is looked at, so a few are read at a time. */
const AT_ONCE = 10;

type Queue = {
  readonly key: string;
  readonly items: readonly ReviewItem[];
  readonly counts?: ReviewList['counts'];
  readonly nextCursor?: string | undefined;
  readonly error?: unknown;
  /** The task that is looked at; behind the last one when none is left. */
  readonly at: number;
  /** Places of tasks that have been decided here. */
  readonly decided: ReadonlySet<number>;
  /** How often something was recorded, a second time for the same task included. */
  readonly saves: number;
};

/** Tasks that wait for this person, one after the other. What is decided stays, so that there is a way back. */
export function useReviewQueue(query: ReviewQuery) {
  const key = JSON.stringify(query);
  const fresh: Queue = { key, items: [], at: 0, decided: new Set(), saves: 0 };
  const [queue, setQueue] = useState<Queue>(fresh);
  const [round, setRound] = useState(0);
  const current = queue.key === key ? queue : fresh;
  const { items, at, counts, nextCursor } = current;
  const needsMore = counts === undefined || (nextCursor !== undefined && at >= items.length - AHEAD);
  const change = (next: (old: Queue) => Partial<Queue>): void =>
    setQueue((old) => (old.key === key ? { ...old, ...next(old) } : old));

  useEffect(() => {
    if (!needsMore) return undefined;
    const giveUp = new AbortController();
    const asked = {
      ...query,
      state: 'open',
      by: 'me',
      limit: AT_ONCE,
      ...(nextCursor !== undefined && { cursor: nextCursor }),
    } as const;
    client.review.list(asked, { signal: giveUp.signal }).then(
      (page) => !giveUp.signal.aborted && setQueue((old) => withPage(old.key === key ? old : fresh, page)),
      (error) => !giveUp.signal.aborted && setQueue({ ...current, error }),
    );
    return () => giveUp.abort();
  }, [key, needsMore, nextCursor, round]);

  return {
    item: items[at],
    at,
    counts,
    saved: current.decided.size,
    saves: current.saves,
    error: current.error,
    isLoading: counts === undefined && current.error === undefined,
    isOver: counts !== undefined && at >= items.length && nextCursor === undefined,
    save: () =>
      change((old) => ({
        at: old.at + 1,
        decided: new Set([...old.decided, old.at]),
        saves: old.saves + 1,
      })),
    skip: () => change((old) => ({ at: Math.min(old.items.length, old.at + 1) })),
    back: () => change((old) => ({ at: Math.max(0, old.at - 1) })),
    /** Asks the host again, from the beginning. */
    restart: () => {
      setQueue(fresh);
      setRound((count) => count + 1);
    },
  };
}

const withPage = (old: Queue, { items, counts, nextCursor }: ReviewList): Queue => ({
  ...old,
  items: [...old.items, ...items],
  counts: old.counts ?? counts,
  nextCursor,
  error: undefined,
});
