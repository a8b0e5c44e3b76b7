import type { BoardAgent } from '@touchstone/protocol';
import { useEffect } from 'preact/hooks';
import { useAddress, withQuery } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import { Channels } from '../parts/release/channels.js';
import { PendingLine } from '../parts/release/pending-move.js';
import { VersionLane } from '../parts/release/version-lane.js';
import { Empty, Skeleton } from '../parts/states.js';
import { useBoard } from '../queries/use-board.js';
import '../styles/agents.css';

const agentPath = (agentId: string): string => `/agents/${encodeURIComponent(agentId)}`;

/** Every agent: what serves, and how far its versions have come. */
export function AgentsPage() {
  const address = useAddress();
  const { data, error, isLoading, reload } = useBoard(address.query.get('cursor') ?? undefined);
  useEffect(() => {
    document.title = 'Agents · Touchstone';
  }, []);
  return (
    <>
      <h1>Agents</h1>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data?.items.length === 0 && (
        <Empty command="touchstone init">
          No agent is known here. This command makes a configuration with one:
        </Empty>
      )}
      {data && data.items.length > 0 && (
        <ul class="board">
          {data.items.map((agent) => (
            <AgentRow key={agent.agentId} agent={agent} />
          ))}
        </ul>
      )}
      {data?.nextCursor !== undefined && (
        <p>
          <a class="button" href={withQuery(address, { cursor: data.nextCursor })}>
            More agents
          </a>
        </p>
      )}
    </>
  );
}

const AgentRow = ({ agent }: { readonly agent: BoardAgent }) => (
  <li class="board-agent" data-agent={agent.agentId}>
    <h2>
      <a class="agent-name" href={agentPath(agent.agentId)}>
        {agent.agentId}
      </a>
    </h2>
    <Channels channels={agent.channels} />
    <VersionLane agent={agent} />
    {agent.pending.map((move) => (
      <PendingLine key={move.runId} move={move} />
    ))}
  </li>
);
