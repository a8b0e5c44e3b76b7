import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { firstValue, takeFirst } from '../first-answers.js';
import { useRetry } from './use-retry.js';

/** What has come of a question to the host. Data that is there stays while newer data is on its way. */
export type QueryState<T> = {
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly reload: () => void;
};

type Entry<T> = { readonly key: string; readonly data?: T; readonly error?: unknown };

/** What was asked for before the page was there. */
function firstEntry<T>(key: string | undefined): Entry<T> | undefined {
  const data = key === undefined ? undefined : firstValue<T>(key);
  return key === undefined || data === undefined ? undefined : { key, data };
}

/**
 * Asks when the key changes, and gives up what nobody waits for any more. An undefined key asks nothing. While the host does not
 * answer, it is asked again after pauses that grow.
 */
export function useQuery<T>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<T>,
): QueryState<T> {
  const [entry, setEntry] = useState<Entry<T> | undefined>(() => firstEntry(key));
  const [round, setRound] = useState(0);
  const retry = useRetry(key);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  // Not after the next picture: the host can answer while it is drawn.
  useLayoutEffect(() => {
    if (key === undefined) return undefined;
    const first = takeFirst<T>(key);
    if (first?.value !== undefined && first.value === entry?.data) return undefined;
    const giveUp = new AbortController();
    const keep = (data: T): void => {
      retry.onAnswer();
      setEntry({ key, data });
    };
    const fail = (error: unknown): void => {
      setEntry((old) => ({ ...(old?.key === key && old), key, error }));
      retry.onError(error, reload);
    };
    const ask = (): Promise<T> => read(giveUp.signal);
    (first ? first.coming.then((data) => data ?? ask()) : ask()).then(
      (data) => !giveUp.signal.aborted && keep(data),
      (error) => !giveUp.signal.aborted && fail(error),
    );
    return () => giveUp.abort();
  }, [key, round]);
  const isCurrent = entry?.key === key;
  return {
    ...(isCurrent && entry?.data !== undefined && { data: entry.data }),
    ...(isCurrent && entry?.error !== undefined && { error: entry.error }),
    isLoading: key !== undefined && !isCurrent,
    reload,
  };
}
