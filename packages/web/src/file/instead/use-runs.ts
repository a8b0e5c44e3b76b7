import { useQuery } from '../../queries/use-query.js';
import type * as Host from '../../queries/use-runs.js';
import { client } from '../../source.js';

/** A file lists all of its runs. */
export const readRunFilter: typeof Host.readRunFilter = () => ({ filter: {}, ignored: [] });

export const useRuns: typeof Host.useRuns = () => {
  const { data, ...rest } = useQuery('runs', () => client.runs.list());
  return { ...rest, runs: data?.items ?? [], error: rest.error, more: undefined };
};
