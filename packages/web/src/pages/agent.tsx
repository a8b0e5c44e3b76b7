import type { BoardAgent, BoardVersion, DEPLOYMENT_STATES, SessionFacts } from '@touchstone/protocol';
import { useEffect, useState } from 'preact/hooks';
import { may, missingScope } from '../access.js';
import { Action } from '../parts/action.js';
import { ErrorBox } from '../parts/error-box.js';
import { Channels } from '../parts/release/channels.js';
import { MoveDialog } from '../parts/release/move-dialog.js';
import { MOVES, type MoveKind } from '../parts/release/moves.js';
import { PendingLine } from '../parts/release/pending-move.js';
import { VersionEvidence } from '../parts/release/version-evidence.js';
import { stateWord } from '../parts/release/version-lane.js';
import { Empty, Skeleton } from '../parts/states.js';
import { useToast } from '../parts/toast.js';
import { When } from '../parts/when.js';
import { useBoardAgent } from '../queries/use-board.js';
import '../styles/agents.css';

type AgentProps = { readonly agentId: string; readonly session?: SessionFacts | undefined };

/** One agent: what serves, every version with its evidence, and what can be done with it. */
export function AgentPage({ agentId, session }: AgentProps) {
  const { data, error, isLoading, reload } = useBoardAgent(agentId);
  useEffect(() => {
    document.title = `${agentId} · Touchstone`;
  }, [agentId]);
  return (
    <>
      <p class="crumbs">
        <a href="/agents">Agents</a> / {agentId}
      </p>
      <h1>{agentId}</h1>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data && !data.agent && (
        <div class="error" role="alert" data-testid="error" data-code="not_found">
          <p>There is nothing here, or it is not yours.</p>
        </div>
      )}
      {data?.agent && <Board agent={data.agent} session={session} reload={reload} />}
    </>
  );
}

type BoardProps = {
  readonly agent: BoardAgent;
  readonly session: SessionFacts | undefined;
  readonly reload: () => void;
};

function Board({ agent, session, reload }: BoardProps) {
  const [moving, setMoving] = useState<{ readonly version: BoardVersion; readonly kind: MoveKind }>();
  const [toast, say] = useToast();
  return (
    <>
      <Channels channels={agent.channels} />
      {agent.pending.length > 0 && (
        <section aria-label="Waiting for people">
          {agent.pending.map((move) => (
            <PendingLine key={move.runId} move={move} />
          ))}
        </section>
      )}
      {agent.versions.length === 0 && <Empty>This agent has no version here.</Empty>}
      <Denied session={session} />
      <Versions agent={agent} session={session} onMove={(version, kind) => setMoving({ version, kind })} />
      <p class="muted crumbs">
        <a href={`/audit?agentId=${encodeURIComponent(agent.agentId)}`}>Who moved what</a> is in the audit
        log.
      </p>
      {moving && (
        <MoveDialog
          {...moving}
          agent={agent}
          onClose={() => setMoving(undefined)}
          onDone={(told) => {
            say(told);
            reload();
          }}
        />
      )}
      {toast}
    </>
  );
}

/** Which moves do not work for this key. Buttons say so too, but only to whoever points at them. */
function Denied({ session }: { readonly session: SessionFacts | undefined }) {
  const scopes = [...new Set(Object.values(MOVES).map(({ scope }) => scope))];
  const missing = session ? scopes.filter((scope) => !may(session, scope)) : [];
  if (missing.length === 0) return null;
  return (
    <p class="muted">
      Your key lacks {missing.length === 1 ? 'the scope' : 'the scopes'} {missing.join(', ')}, so not all
      buttons work.
    </p>
  );
}

/** What is nearest to service comes first. */
const ORDER = ['active', 'staged', 'test', 'draft', 'paused', 'deprecated', 'rolled-back'] as const;
const byState = ({ versions }: BoardAgent): readonly BoardVersion[] =>
  ORDER.flatMap((state) => versions.filter((one) => one.state === state).toReversed());

type VersionsProps = {
  readonly agent: BoardAgent;
  readonly session: SessionFacts | undefined;
  readonly onMove: (version: BoardVersion, kind: MoveKind) => void;
};

const Versions = ({ agent, session, onMove }: VersionsProps) => (
  <ul class="versions" aria-label="Versions">
    {byState(agent).map((version) => (
      <VersionRow key={version.version} version={version} session={session} onMove={onMove} />
    ))}
  </ul>
);

type VersionRowProps = Omit<VersionsProps, 'agent'> & { readonly version: BoardVersion };

const VersionRow = ({ version, session, onMove }: VersionRowProps) => (
  <li data-testid="version" data-state={version.state} data-version={version.version}>
    <h2>
      <code>{version.version}</code>
      {version.digest !== undefined && (
        <code class="small muted" title={version.digest}>
          {version.digest.slice(7, 15)}
        </code>
      )}
    </h2>
    <div>
      <span class={`chip ${version.state}`}>{stateWord(version.state)}</span>
      {version.channels && <span class="muted"> {version.channels.join(', ')}</span>}
      {version.rollbackPointer && <span class="muted"> → {version.rollbackPointer}</span>}
      {version.since !== undefined && (
        <span class="small muted">
          since <When at={version.since} />
        </span>
      )}
    </div>
    <div>
      {version.evalRunId ? (
        <VersionEvidence runId={version.evalRunId} />
      ) : (
        <span class="muted">no evidence</span>
      )}
      {version.approvalGateId !== undefined && (
        <span class="small muted">approved at gate {version.approvalGateId}</span>
      )}
    </div>
    <div class="moves">
      {movesOf(version.state).map((kind) => (
        <Action
          key={kind}
          name={MOVES[kind].name}
          kind={kind === 'promote' ? undefined : 'quiet'}
          testId={`${kind}-open`}
          denied={missingScope(session, MOVES[kind].scope)}
          onClick={() => onMove(version, kind)}
        />
      ))}
    </div>
  </li>
);

const movesOf = (state: (typeof DEPLOYMENT_STATES)[number]): readonly MoveKind[] =>
  (Object.keys(MOVES) as MoveKind[]).filter((kind) => MOVES[kind].from.includes(state));
