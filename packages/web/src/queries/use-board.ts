import type { BoardAgent } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { client } from '../source.js';
import { useInterval } from './use-interval.js';
import { type QueryState, useQuery } from './use-query.js';

const LOOK_AGAIN_MS = 3_000;
const AGENTS = 50;

/** The agents from a place in their list on, read again while somebody looks. */
export function useBoard(cursor?: string): QueryState<{
  readonly items: readonly BoardAgent[];
  readonly nextCursor?: string;
}> {
  const board = useQuery(`board ${cursor}`, (signal) =>
    client.deployments.board({ limit: AGENTS, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  useInterval(board.reload, LOOK_AGAIN_MS);
  return board;
}

/** One agent. A list without it says the same as an operation that does not find it. */
export function useBoardAgent(agentId: string): QueryState<BoardAgent> {
  const board = useQuery(`agent ${agentId}`, async (signal) => {
    const { items } = await client.deployments.board({ agentId }, { signal });
    if (!items[0]) throw new HostResponseError(404, { error: 'not_found', message: 'No such agent.' });
    return items[0];
  });
  useInterval(board.reload, LOOK_AGAIN_MS);
  return board;
}
