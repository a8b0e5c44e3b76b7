import type { SessionFacts } from '@touchstone/protocol';
import { useEffect } from 'preact/hooks';
import { ErrorBox } from '../parts/error-box.js';
import { ApprovalCard, titleOf } from '../parts/release/approval-card.js';
import { Empty, Skeleton } from '../parts/states.js';
import { useToast } from '../parts/toast.js';
import { When } from '../parts/when.js';
import { useInterval } from '../queries/use-interval.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';
import '../styles/agents.css';
import '../styles/approvals.css';

const LOOK_AGAIN_MS = 2_000;
const SHOWN = 20;

/** Questions that wait for people, the newest first. */
export function ApprovalsPage({ session }: { readonly session?: SessionFacts | undefined }) {
  const { data, error, isLoading, reload } = useQuery('approvals', (signal) =>
    client.runs.list({ status: 'waiting-approval', limit: SHOWN }, { signal }),
  );
  const [toast, say] = useToast();
  useInterval(reload, LOOK_AGAIN_MS);
  useEffect(() => {
    document.title = 'Approvals · Touchstone';
  }, []);
  const moves = data?.items.filter(({ touchstone }) => touchstone?.kind === 'deployment') ?? [];
  return (
    <>
      <h1>Approvals</h1>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {data && moves.length === 0 && (
        <Empty command="touchstone promote <agentId>@<version>">
          Nothing waits for an answer. A promotion asks people where a gate says so:
        </Empty>
      )}
      {moves.length > 0 && (
        <ul class="approvals">
          {moves.map((run) => (
            <li key={run.runId} data-testid="approval" data-run={run.runId}>
              <h2 class="titled">
                <a href={`/approvals/${encodeURIComponent(run.runId)}`}>{titleOf(run)}</a>
              </h2>
              {run.touchstone && (
                <p class="muted">
                  <When at={run.touchstone.createdAt} />
                </p>
              )}
              <ApprovalCard
                run={run}
                session={session}
                onAnswered={(said) => {
                  say(said);
                  reload();
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {data?.nextCursor !== undefined && <p class="muted">The newest {SHOWN} are shown.</p>}
      {toast}
    </>
  );
}
