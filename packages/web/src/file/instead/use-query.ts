import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type * as Host from '../../queries/use-query.js';

type Entry = { readonly key: string; readonly data?: unknown; readonly error?: unknown };

/** Asks the data when the key changes. It answers at once, and always the same. */
export const useQuery: typeof Host.useQuery = (key, read) => {
  const [entry, setEntry] = useState<Entry>();
  const reload = useCallback(() => undefined, []);
  useLayoutEffect(() => {
    if (key === undefined) return undefined;
    const giveUp = new AbortController();
    const keep = (next: Entry): void => {
      if (!giveUp.signal.aborted) setEntry(next);
    };
    read(giveUp.signal).then(
      (data) => keep({ key, data }),
      (error) => keep({ key, error }),
    );
    return () => giveUp.abort();
  }, [key]);
  const isCurrent = entry?.key === key;
  return {
    ...(isCurrent && entry),
    isLoading: key !== undefined && !isCurrent,
    reload,
  } as never;
};
