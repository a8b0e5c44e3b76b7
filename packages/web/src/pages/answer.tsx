import type { InterruptQuestion, ResolvedInterrupt } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox } from '../parts/error-box.js';
import { Mark } from '../parts/glyphs.js';
import { AnswerButtons, resumeValueOf } from '../parts/release/answer-buttons.js';
import type { AnswerKind } from '../parts/release/approval-rights.js';
import { Deadline } from '../parts/release/deadline.js';
import { Skeleton } from '../parts/states.js';
import { useNow } from '../queries/use-interval.js';
import { useQuery } from '../queries/use-query.js';
import '../styles/approvals.css';

// The link is all that lets its holder in: no session is sent, and none is asked for.
const client = createClient({ baseUrl: location.origin, retry: { attempts: 2, streamAttempts: 1 } });

/** Answers the question that a link leads to. The token is in the fragment, which no server and no log sees. */
export function AnswerPage() {
  const [token] = useState(() => location.hash.slice(1));
  const [done, setDone] = useState<ResolvedInterrupt>();
  const { data, error, reload } = useQuery(`answer ${token}`, (signal) =>
    client.interrupts.inspect(token, { signal }),
  );
  useEffect(() => {
    document.title = 'Answer · Touchstone';
  }, []);
  return (
    <main class="sign-in">
      <div class="form answer">
        <Mark />
        {error !== undefined && !done && (
          <>
            <h1>This link does not work</h1>
            <ErrorBox error={error} onRetry={reload} />
          </>
        )}
        {!data && error === undefined && <Skeleton rows={3} />}
        {done ? <Done {...done} /> : data && <Question token={token} question={data} onDone={setDone} />}
      </div>
    </main>
  );
}

const Done = ({ status }: ResolvedInterrupt) => (
  <div role="status" data-testid="answered" data-status={status}>
    <h1 tabIndex={-1} ref={(heading) => heading?.focus()}>
      Your answer counts
    </h1>
    <p>
      {status === 'waiting-approval'
        ? 'More answers are needed before anything moves.'
        : `The run is ${status.replaceAll('-', ' ')}.`}
    </p>
  </div>
);

type QuestionProps = {
  readonly token: string;
  readonly question: InterruptQuestion;
  readonly onDone: (done: ResolvedInterrupt) => void;
};

/** What people are shown of a question; other members are for programs. */
type QuestionData = {
  readonly title?: string;
  readonly gateId?: string;
  readonly requiredApprovals?: number;
};

function Question({ token, question, onDone }: QuestionProps) {
  const now = useNow();
  const { title = 'A question', gateId, requiredApprovals } = question.data as QuestionData;
  const isOpen = question.intent === 'resolve' && question.kind === 'approval';
  return (
    <>
      <h1 class="titled">{title}</h1>
      <p class="muted">
        {gateId !== undefined && `Gate ${gateId}. `}
        {requiredApprovals !== undefined &&
          requiredApprovals > 1 &&
          `${requiredApprovals} people have to agree. `}
        The answer counts as that of the person who made this link.
      </p>
      <p>
        The link: <Deadline until={question.expiresAt} now={now} />
      </p>
      {isOpen ? (
        <AnswerButtons
          rights={{}}
          kinds={['Grant', 'Reject']}
          effectOf={(kind) => effectOf(kind, title)}
          onAnswer={async (given) => onDone(await client.interrupts.resolveByToken(token, answerOf(given)))}
        />
      ) : (
        <p>
          {question.kind === 'approval'
            ? 'This link is for looking only.'
            : 'This question takes more than a yes or a no. It is answered through the API.'}
        </p>
      )}
    </>
  );
}

/** In the words that every approval knows, a deployment's or another. */
const answerOf = (given: Parameters<typeof resumeValueOf>[0]) => {
  const { decision, ...rest } = resumeValueOf(given);
  return { action: decision === 'granted' ? 'accept' : 'reject', ...rest };
};

const effectOf = (kind: AnswerKind, title: string): string =>
  kind === 'Reject' ? `This says no to: ${title}.` : `This says yes to: ${title}.`;
