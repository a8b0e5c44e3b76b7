import type { AuditEntry } from '@touchstone/sdk';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../source.js';

const PAGE = 200;

export type AuditFilter = { readonly runId?: string; readonly agentId?: string };

type AuditState = {
  readonly items: readonly AuditEntry[];
  readonly error?: unknown;
  readonly isLoading: boolean;
  /** Reads the next page, if there is one and none is on its way. */
  readonly more: () => void;
  readonly reload: () => void;
};

type AuditPages = { readonly items: readonly AuditEntry[]; readonly next?: string };

/** The audit log from its newest record back, as far as somebody has looked. */
export function useAudit(filter: AuditFilter): AuditState {
  const [loaded, setLoaded] = useState<AuditPages>();
  const [error, setError] = useState<unknown>();
  const [cursor, setCursor] = useState<{ readonly at?: string; readonly round: number }>({ round: 0 });
  const key = JSON.stringify(filter);
  useEffect(() => {
    setLoaded(undefined);
    setCursor(({ round }) => ({ round: round + 1 }));
  }, [key]);
  useEffect(() => {
    if (cursor.round === 0) return undefined;
    const giveUp = new AbortController();
    const { at } = cursor;
    const query = { order: 'desc', limit: PAGE, ...filter, ...(at !== undefined && { cursor: at }) } as const;
    client.audit.list(query, { signal: giveUp.signal }).then(
      ({ items, nextCursor }) => {
        if (giveUp.signal.aborted) return;
        setError(undefined);
        setLoaded((old) => ({
          items: at === undefined ? items : [...(old?.items ?? []), ...items],
          ...(nextCursor !== undefined && { next: nextCursor }),
        }));
      },
      (reason: unknown) => !giveUp.signal.aborted && setError(reason),
    );
    return () => giveUp.abort();
  }, [cursor]);
  return {
    items: loaded?.items ?? [],
    error,
    isLoading: loaded === undefined && error === undefined,
    more: () => {
      const next = loaded?.next;
      if (next !== undefined && next !== cursor.at) setCursor(({ round }) => ({ at: next, round }));
    },
    reload: () => setCursor(({ round }) => ({ round: round + 1 })),
  };
}
