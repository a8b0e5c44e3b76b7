import { useRef } from 'preact/hooks';
import type { ListPart } from '../../queries/use-pages.js';
import { useQuery } from '../../queries/use-query.js';

export const PAGE_ROWS = 100;
export const FIRST_PART = { offset: 0, limit: PAGE_ROWS };
const WHOLE = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** A list in a file is at hand as a whole. */
export function usePages<Row, Answer extends ListPart<Row>>(
  key: string,
  readPart: (part: typeof WHOLE, signal: AbortSignal) => Promise<Answer>,
) {
  const { data, error, reload } = useQuery(key, (signal) => readPart(WHOLE, signal));
  // What was shown stays until the answer to the new question is here.
  const latest = useRef<Answer | undefined>(undefined);
  latest.current = data ?? latest.current;
  const rows = (): readonly Row[] => latest.current?.items ?? [];
  return {
    latest: latest.current,
    matched: latest.current?.matched ?? 0,
    error,
    reload,
    isFirst: latest.current === undefined && error === undefined,
    rowAt: (index: number): Row | undefined => rows()[index],
    onSight: (): void => undefined,
    indexOf: (isIt: (row: Row) => boolean): number => rows().findIndex(isIt),
  };
}
