import { RUN_KINDS, RUN_STATUSES, RUN_VERDICTS } from '@touchstone/protocol';
import type { Page, RunFilter, RunSnapshot } from '@touchstone/sdk';
import { useState } from 'preact/hooks';
import { client } from '../source.js';
import { useInterval } from './use-interval.js';
import { useQuery } from './use-query.js';

const LOOK_AGAIN_MS = 5_000;
const PAGE = 100;

/** What the address asks for. A value that makes no sense falls back to the default, and is named. */
export function readRunFilter(query: URLSearchParams): {
  readonly filter: RunFilter;
  readonly ignored: readonly string[];
} {
  const ignored: string[] = [];
  const choice = (name: string, values: readonly string[]): string | undefined => {
    const given = query.get(name) || undefined;
    if (given === undefined || values.includes(given)) return given;
    ignored.push(name);
    return undefined;
  };
  const time = (name: string): string | undefined => {
    const given = query.get(name) || undefined;
    if (given === undefined || !Number.isNaN(Date.parse(given))) return given;
    ignored.push(name);
    return undefined;
  };
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const filter = {
    kind: choice('kind', RUN_KINDS),
    verdict: choice('verdict', RUN_VERDICTS),
    status: choice('status', RUN_STATUSES),
    since: time('since'),
    until: time('until'),
    tag: text('tag'),
    q: text('q'),
    suiteId: text('suiteId'),
    agentId: text('agentId'),
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return { filter: Object.fromEntries(given) as RunFilter, ignored };
}

type Older = { readonly key: string; readonly pages: readonly Page<RunSnapshot>[] };

/** Runs, newest first: the first page is looked at again and again, further ones are read when the reader asks. */
export function useRuns(filter: RunFilter) {
  const key = JSON.stringify(filter);
  const first = useQuery(`runs ${key}`, (signal) => client.runs.list({ ...filter, limit: PAGE }, { signal }));
  useInterval(first.reload, LOOK_AGAIN_MS);
  const [older, setOlder] = useState<Older>({ key, pages: [] });
  const [moreError, setMoreError] = useState<unknown>();
  const pages = older.key === key ? older.pages : [];
  const { nextCursor } = pages.at(-1) ?? first.data ?? {};
  const more = (): void => {
    if (nextCursor === undefined) return;
    client.runs.list({ ...filter, limit: PAGE, cursor: nextCursor }).then(
      (page) => setOlder({ key, pages: [...pages, page] }),
      (error) => setMoreError(error),
    );
  };
  return {
    runs: unique([first.data, ...pages].flatMap((page) => page?.items ?? [])),
    isLoading: first.isLoading,
    error: first.error ?? moreError,
    reload: first.reload,
    more: nextCursor === undefined ? undefined : more,
  };
}

/** New runs move others to the next page, which may have been read already. */
const unique = (runs: readonly RunSnapshot[]): readonly RunSnapshot[] => [
  ...new Map(runs.map((run) => [run.runId, run])).values(),
];
