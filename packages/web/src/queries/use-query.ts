import { useCallback, useEffect, useState } from 'preact/hooks';

/** What has come of a question to the host. Data that is there stays while newer data is on its way. */
export type QueryState<T> = {
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly reload: () => void;
};

type Entry<T> = { readonly key: string; readonly data?: T; readonly error?: unknown };

/** Asks when the key changes, and gives up what nobody waits for any more. An undefined key asks nothing. */
export function useQuery<T>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<T>,
): QueryState<T> {
  const [entry, setEntry] = useState<Entry<T>>();
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => {
    if (key === undefined) return undefined;
    const giveUp = new AbortController();
    read(giveUp.signal).then(
      (data) => !giveUp.signal.aborted && setEntry({ key, data }),
      (error) => !giveUp.signal.aborted && setEntry((old) => ({ ...(old?.key === key && old), key, error })),
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
