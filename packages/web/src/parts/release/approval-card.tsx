import { defined, type SessionFacts, type TransitionRequest } from '@touchstone/protocol';
import type { ReviewedMove, RunSnapshot } from '@touchstone/sdk';
import {
  type ApprovalRound,
  demandOf,
  describeRequest,
  grantsOf,
  NOT_FOLLOWED,
  openRound,
  type Timeline,
  WITHDRAWN,
} from '@touchstone/sdk/view';
import { useNow } from '../../queries/use-interval.js';
import { useQuery } from '../../queries/use-query.js';
import { useTimeline } from '../../queries/use-timeline.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { Skeleton } from '../states.js';
import { AnswerButtons, type GivenAnswer, resumeValueOf } from './answer-buttons.js';
import { type AnswerKind, rightsIn } from './approval-rights.js';
import { Deadline } from './deadline.js';
import { EvidenceLine } from './gate-list.js';
import { VersionEvidence } from './version-evidence.js';

type CardProps = {
  readonly run: RunSnapshot;
  readonly session: SessionFacts | undefined;
  /** Is given what has come of the answer. */
  readonly onAnswered: (said: string) => void;
};

/** Who asked. */
export const requesterOf = ({ owner }: RunSnapshot): string | undefined =>
  (owner as { readonly principal?: string } | undefined)?.principal;

/** What moves, and where to. Who asks for the next state need not name it. */
export function titleOf({ touchstone }: RunSnapshot): string {
  const { agentId = '', request, toState } = touchstone ?? {};
  return request ? describeRequest(agentId, { ...defined({ toState }), ...request }) : 'A question';
}

/** One question: what moves, on which evidence, who has agreed, and until when. */
export function ApprovalCard({ run, session, onAnswered }: CardProps) {
  const { data: timeline, error, reload } = useTimeline(run);
  if (error !== undefined && !timeline) return <ErrorBox error={error} onRetry={reload} />;
  if (!timeline) return <Skeleton rows={2} />;
  const round = openRound(timeline);
  return (
    <>
      <Facts run={run} timeline={timeline} />
      {round && run.status === 'waiting-approval' && (
        <Question run={run} round={round} timeline={timeline} session={session} onAnswered={onAnswered} />
      )}
    </>
  );
}

const Facts = ({ run, timeline }: { readonly run: RunSnapshot; readonly timeline: Timeline }) => {
  const { request, filesNotFollowed } = run.touchstone ?? {};
  const reason = (request as TransitionRequest | undefined)?.reason;
  return (
    <dl class="facts">
      <dt>Asked by</dt>
      <dd>
        {requesterOf(run) ?? 'somebody'}
        {reason !== undefined && <span class="muted"> “{reason}”</span>}
      </dd>
      <dt>Evidence</dt>
      <dd>
        <OfferedEvidence run={run} />
      </dd>
      {filesNotFollowed && (
        <>
          <dt>Warning</dt>
          <dd class="note">{NOT_FOLLOWED}</dd>
        </>
      )}
      {timeline.rounds.length > 1 && (
        <>
          <dt>Rounds</dt>
          <dd>{timeline.rounds.length}, because a no starts a new one</dd>
        </>
      )}
    </dl>
  );
};

/** The run that was offered as proof: what the gates say of it now, or, once it is decided, what it has shown. */
function OfferedEvidence({ run }: { readonly run: RunSnapshot }) {
  const { agentId = '', request } = run.touchstone ?? {};
  const { version, toState, channel, canaryPercent, evalRunId } = (request ??
    {}) as Partial<TransitionRequest>;
  const isOpen = run.status === 'waiting-approval' && version !== undefined;
  const { data } = useQuery(isOpen ? `evidence of ${run.runId}` : undefined, (signal) =>
    client.deployments.review(
      agentId,
      { version, ...defined({ to: toState, channel, canaryPercent, evalRunId }) } as ReviewedMove,
      { signal },
    ),
  );
  const asked = data?.gates.flatMap(({ gateId, evidence }) => (evidence ? [{ gateId, evidence }] : [])) ?? [];
  if (asked.length > 0)
    return asked.map(({ gateId, evidence }) => <EvidenceLine key={gateId} evidence={evidence} />);
  return evalRunId ? <VersionEvidence runId={evalRunId} /> : <>none</>;
}

type QuestionProps = CardProps & { readonly round: ApprovalRound; readonly timeline: Timeline };

function Question({ run, round, session, onAnswered }: QuestionProps) {
  const now = useNow();
  const grants = grantsOf(round);
  const answer = async (given: GivenAnswer): Promise<void> => {
    if (given.kind === 'Withdraw') await client.runs.cancel(run.runId, given.reason);
    else await client.interrupts.resolve(run.runId, round.nodeId, resumeValueOf(given));
    onAnswered(given.kind === 'Withdraw' ? WITHDRAWN : 'Your answer counts.');
  };
  return (
    <div class="question">
      <p class="quorum" data-granted={grants.length} data-quorum={round.required}>
        <Quorum granted={grants.length} required={round.required} />
        <span>
          gate {round.gateId}:{' '}
          <span class="strong">
            {grants.length} of {round.required} grants
          </span>
          {grants.length > 0 && <span class="muted"> ({grants.join(', ')})</span>}
        </span>
        {round.deadline !== undefined && <Deadline until={round.deadline} now={now} />}
      </p>
      <p class="muted">
        It asks for {demandOf(round)}
        {round.barsRequester && ', not by whoever asked'}.
      </p>
      <AnswerButtons
        rights={rightsIn(session, requesterOf(run), round)}
        kinds={['Grant', 'Reject', ...(round.overrideRole ? ['Override' as const] : []), 'Withdraw']}
        effectOf={(kind) => effectOf(kind, run, round)}
        onAnswer={answer}
      />
    </div>
  );
}

const DOT = 12;

/** One dot for every person that has to agree, filled when one has. */
const Quorum = ({ granted, required }: { readonly granted: number; readonly required: number }) => (
  <svg
    class="quorum-dots"
    width={required * DOT}
    height={DOT}
    role="img"
    aria-label={`${granted} of ${required} grants.`}
  >
    {Array.from({ length: required }, (_, at) => (
      <circle key={at} class={at < granted ? 'given' : 'open'} cx={at * DOT + DOT / 2} cy={DOT / 2} r={4} />
    ))}
  </svg>
);

function effectOf(kind: AnswerKind, run: RunSnapshot, round: ApprovalRound): string {
  const title = titleOf(run);
  const missing = round.required - grantsOf(round).length;
  if (kind === 'Reject')
    return `This says no to: ${title}. The question is asked anew, and every grant has to be given again.`;
  if (kind === 'Withdraw')
    return `This ends the question: ${title}. Nobody is asked any longer, and nothing is moved.`;
  if (kind === 'Override') return `This passes gate ${round.gateId} over: ${title}. The reason is kept.`;
  return missing > 1
    ? `This says yes to: ${title}. ${missing - 1} more will be needed.`
    : `This is the last grant that is needed: ${title}.`;
}
