import { HostUnreachable } from '@touchstone/sdk';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { firstValue, takeFirst } from '../first-answers.js';

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

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

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
  const pause = useRef(FIRST_PAUSE_MS);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  // Not after the next picture: the host can answer while it is drawn.
  useLayoutEffect(() => {
    if (key === undefined) return undefined;
    const first = takeFirst<T>(key);
    if (first?.value !== undefined && first.value === entry?.data) return undefined;
    const giveUp = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (data: T): void => {
      pause.current = FIRST_PAUSE_MS;
      setEntry({ key, data });
    };
    const fail = (error: unknown): void => {
      setEntry((old) => ({ ...(old?.key === key && old), key, error }));
      if (!(error instanceof HostUnreachable)) return;
      timer = setTimeout(reload, pause.current);
      pause.current = Math.min(LONGEST_PAUSE_MS, pause.current * 2);
    };
    const ask = (): Promise<T> => read(giveUp.signal);
    (first ? first.coming.then((data) => data ?? ask()) : ask()).then(
      (data) => !giveUp.signal.aborted && keep(data),
      (error) => !giveUp.signal.aborted && fail(error),
    );
    return () => {
      giveUp.abort();
      clearTimeout(timer);
    };
  }, [key, round]);
  const isCurrent = entry?.key === key;
  return {
    ...(isCurrent && entry?.data !== undefined && { data: entry.data }),
    ...(isCurrent && entry?.error !== undefined && { error: entry.error }),
    isLoading: key !== undefined && !isCurrent,
    reload,
  };
}
