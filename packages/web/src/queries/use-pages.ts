import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { firstValue, takeFirst } from '../first-answers.js';
import { useRetry } from './use-retry.js';

const PAGE = 100;
const MOST_PAGES = 40;

export const FIRST_PART = { offset: 0, limit: PAGE };

/** A part of a long list, as the host answers it. */
export type ListPart<Row> = { readonly items: readonly Row[]; readonly matched: number };
type ReadPart<Answer> = (
  part: { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
) => Promise<Answer>;

type Pages<Answer> = {
  readonly key: string;
  readonly parts: Map<number, Answer>;
  readonly asked: Map<number, AbortController>;
  latest?: Answer;
  error?: unknown;
};

const emptyPages = <Answer>(key: string): Pages<Answer> => ({ key, parts: new Map(), asked: new Map() });

function firstPages<Answer>(key: string, firstKey: string | undefined): Pages<Answer> {
  const pages = emptyPages<Answer>(key);
  const answer = firstKey === undefined ? undefined : firstValue<Answer>(firstKey);
  if (answer === undefined) return pages;
  pages.parts.set(0, answer);
  return { ...pages, latest: answer };
}

/** A long list as far as it has been in sight. The host filters and sorts; this holds the pages around what is seen. */
export function usePages<Row, Answer extends ListPart<Row>>(
  key: string,
  readPart: ReadPart<Answer>,
  /** Of the answer that may have been asked for before the page was there. */
  firstKey?: string,
) {
  const [pages] = useState(() => ({ current: firstPages<Answer>(key, firstKey) }));
  const [, redraw] = useState(0);
  const retry = useRetry(key);
  const inSight = useRef<readonly [first: number, last: number]>([0, 0]);

  const read = (page: number): void => {
    const current = pages.current;
    if (current.parts.has(page) || current.asked.has(page)) return;
    const giveUp = new AbortController();
    current.asked.set(page, giveUp);
    const ask = (): Promise<Answer> => readPart({ offset: page * PAGE, limit: PAGE }, giveUp.signal);
    const first = page === 0 && firstKey !== undefined ? takeFirst<Answer>(firstKey) : undefined;
    (first ? first.coming.then((answer) => answer ?? ask()) : ask())
      .then(
        (answer) => {
          current.parts.set(page, answer);
          current.latest = answer;
          delete current.error;
          retry.onAnswer();
        },
        (error) => {
          if (giveUp.signal.aborted) return;
          current.error = error;
          retry.onError(error, reload);
        },
      )
      .finally(() => {
        current.asked.delete(page);
        if (pages.current === current) redraw((count) => count + 1);
      });
  };

  /** Asks again for what is in sight and has not come. */
  const reload = (): void => {
    const [first, last] = inSight.current;
    for (let page = first; page <= last; page += 1) read(page);
  };

  useLayoutEffect(() => {
    // What was shown stays until the answer to the new question is here.
    const old = pages.current;
    const next = emptyPages<Answer>(key);
    if (old.key === key && old.parts.size > 0) {
      takeFirst(firstKey ?? '');
      return undefined;
    }
    for (const giveUp of old.asked.values()) giveUp.abort();
    inSight.current = [0, 0];
    pages.current = next;
    read(0);
    return () => {
      for (const giveUp of next.asked.values()) giveUp.abort();
    };
  }, [key]);

  const onSight = (from: number, to: number): void => {
    const { asked, parts } = pages.current;
    const [first, last] = [Math.floor(from / PAGE), Math.floor(Math.max(from, to - 1) / PAGE)];
    inSight.current = [first, last];
    for (const [page, giveUp] of asked) if (page < first || page > last) giveUp.abort();
    for (let page = first; page <= last; page += 1) read(page);
    for (const page of parts.keys()) {
      if (parts.size <= MOST_PAGES) break;
      if (page < first || page > last) parts.delete(page);
    }
  };
  const rowAt = (index: number): Row | undefined =>
    pages.current.parts.get(Math.floor(index / PAGE))?.items[index % PAGE];
  /** The place of a row that has been in sight; -1 of any other. */
  const indexOf = (isIt: (row: Row) => boolean): number => {
    for (const [page, { items }] of pages.current.parts) {
      const at = items.findIndex(isIt);
      if (at >= 0) return page * PAGE + at;
    }
    return -1;
  };
  const { latest, error } = pages.current;
  const isFirst = pages.current.parts.size === 0 && error === undefined;
  return { latest, matched: latest?.matched ?? 0, error, isFirst, reload, rowAt, onSight, indexOf };
}

export const PAGE_ROWS = PAGE;
