import type { SessionFacts } from '@touchstone/protocol';
import { HostResponseError, type RunSnapshot } from '@touchstone/sdk';
import { demandOf, movedWords, openRound, saidWords, type Timeline } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { missingScope } from '../access.js';
import { Action } from '../parts/action.js';
import { ErrorBox } from '../parts/error-box.js';
import { ApprovalCard, requesterOf, titleOf } from '../parts/release/approval-card.js';
import { Command, Empty, Skeleton } from '../parts/states.js';
import { useToast } from '../parts/toast.js';
import { When } from '../parts/when.js';
import { useInterval } from '../queries/use-interval.js';
import { useQuery } from '../queries/use-query.js';
import { useTimeline } from '../queries/use-timeline.js';
import { client } from '../source.js';
import '../styles/agents.css';
import '../styles/approvals.css';

const LOOK_AGAIN_MS = 2_000;

type ApprovalProps = { readonly runId: string; readonly session?: SessionFacts | undefined };

/** One move from its request to its end: who agreed, in how many rounds, and what became of it. */
export function ApprovalPage({ runId, session }: ApprovalProps) {
  const {
    data: run,
    error,
    isLoading,
    reload,
  } = useQuery(`run ${runId}`, (signal) => client.runs.get(runId as never, { signal }));
  useInterval(() => isOpen(run) && reload(), LOOK_AGAIN_MS);
  useEffect(() => {
    document.title = 'Approval · Touchstone';
  }, []);
  return (
    <>
      <p class="crumbs">
        <a href="/approvals">Approvals</a> / {runId}
      </p>
      <h1 class="titled">{run ? titleOf(run) : 'Approval'}</h1>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton />}
      {run && run.touchstone?.kind !== 'deployment' && <Empty>This run asks nobody for a deployment.</Empty>}
      {run?.touchstone?.kind === 'deployment' && <Move run={run} session={session} reload={reload} />}
    </>
  );
}

/** Whether something can still happen in it. */
const isOpen = (run: RunSnapshot | undefined): boolean =>
  run === undefined || !['completed', 'failed', 'cancelled'].includes(run.status);

const STATUS: { readonly [status: string]: string } = {
  completed: 'Moved',
  failed: 'Refused',
  cancelled: 'Withdrawn',
};

type MoveProps = {
  readonly run: RunSnapshot;
  readonly session: SessionFacts | undefined;
  readonly reload: () => void;
};

function Move({ run, session, reload }: MoveProps) {
  const [toast, say] = useToast();
  const timeline = useTimeline(run);
  const { message } = (run.error ?? {}) as { readonly message?: string };
  const agentId = run.touchstone?.agentId ?? '';
  return (
    <>
      <p class="run-title">
        <span class="strong" data-testid="approval-state" data-status={run.status} role="status">
          {STATUS[run.status] ?? 'Waits for people'}
        </span>
        <a href={`/agents/${encodeURIComponent(agentId)}`}>{agentId}</a>
        {message !== undefined && <span class="worse">{message}</span>}
      </p>
      <section class="approval" data-testid="approval" data-run={run.runId} aria-label="Question">
        <ApprovalCard
          run={run}
          session={session}
          onAnswered={(said) => {
            say(said);
            reload();
          }}
        />
      </section>
      {timeline.data && <History run={run} timeline={timeline.data} />}
      {timeline.data && isOpen(run) && <LinkMaker run={run} timeline={timeline.data} session={session} />}
      {toast}
    </>
  );
}

/** What happened, in order, in the words of `touchstone show`. */
const History = ({ run, timeline }: { readonly run: RunSnapshot; readonly timeline: Timeline }) => {
  const { asked, rounds, moved } = timeline;
  return (
    <section class="part" aria-labelledby="history">
      <h2 id="history">What happened</h2>
      <ol class="approval-history">
        {asked && <Line at={asked.at}>{requesterOf(run) ?? asked.by} asked for it.</Line>}
        {rounds.map((round, at) => (
          <li key={at} class="round" data-testid="approval-round">
            <ol>
              <Line at={round.at}>
                {rounds.length > 1 && `Round ${at + 1}: `}gate {round.gateId} asks for {demandOf(round)}.
              </Line>
              {round.said.map((said, n) => (
                <Line key={n} at={said.at}>
                  {saidWords(said)}
                </Line>
              ))}
            </ol>
          </li>
        ))}
        {moved.map((one, at) => (
          <Line key={at} at={one.at}>
            {movedWords(one)}
          </Line>
        ))}
      </ol>
    </section>
  );
};

const Line = ({ at, children }: { readonly at: string; readonly children: preact.ComponentChildren }) => (
  <li class="history-line">
    <When at={at} /> <span>{children}</span>
  </li>
);

type LinkProps = Omit<MoveProps, 'reload'> & { readonly timeline: Timeline };

/** A link for somebody without a key. Whoever opens it answers in the name of the person who made it. */
function LinkMaker({ run, timeline, session }: LinkProps) {
  const [made, setMade] = useState<{ readonly href?: string; readonly error?: unknown }>({});
  const nodeId = openRound(timeline)?.nodeId;
  if (nodeId === undefined) return null;
  const make = (): void =>
    void client.interrupts.createToken(run.runId, nodeId, { intent: 'resolve' }).then(
      ({ token }) => setMade({ href: `${location.origin}/answer#${token}` }),
      (error: unknown) => setMade({ error }),
    );
  return (
    <section class="part" aria-labelledby="link">
      <h2 id="link">Answer without a key</h2>
      <p class="muted">Whoever opens the link answers in your name, for half an hour.</p>
      {made.href === undefined ? (
        <p>
          <Action name="Make a link" denied={missingScope(session, 'approvals:respond')} onClick={make} />
        </p>
      ) : (
        <Command text={made.href} />
      )}
      {made.error instanceof HostResponseError && <ErrorBox error={made.error} />}
    </section>
  );
}
