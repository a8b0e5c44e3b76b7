import type * as Host from '../../queries/use-event-pages.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';

/** The log of a run, or the part of it that the file has. */
export const useEventPages: typeof Host.useEventPages = (runId, types) => {
  const { data, error, isLoading, reload } = useQuery(`events ${runId} ${types}`, () =>
    client.pollEvents(runId as never, types.length > 0 ? { types } : {}),
  );
  const events = data?.events ?? [];
  return {
    count: events.length,
    isAll: true,
    isFirst: isLoading,
    error,
    round: events.length,
    reload,
    rowAt: (index) => events[index],
    onSight: () => undefined,
  };
};
