import type { SessionFacts } from '@touchstone/protocol';
import { plural, whole } from '@touchstone/sdk/view';
import { useEffect } from 'preact/hooks';
import { useAddress } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import { Ignored } from '../parts/ignored.js';
import { LabelsFile, ReviewSources } from '../parts/review/review-sources.js';
import { ReviewedTask } from '../parts/review/reviewed-task.js';
import { useDrafts } from '../parts/review/use-drafts.js';
import { useTimeLeft } from '../parts/review/use-time-left.js';
import { Empty, Skeleton } from '../parts/states.js';
import { readReviewQuery } from '../queries/review-query.js';
import { useReviewQueue } from '../queries/use-review-queue.js';
import '../styles/review.css';

/** One task after the other for a person to decide about, without a word of the judge. */
export function ReviewPage({ session }: { readonly session?: SessionFacts | undefined }) {
  const address = useAddress();
  const { query, ignored } = readReviewQuery(address.query);
  const queue = useReviewQueue(query);
  const drafts = useDrafts();
  const { counts, saved, error, item } = queue;
  const done = (counts?.done ?? 0) + saved;
  const total = (counts?.open ?? 0) + (counts?.done ?? 0);
  const timeLeft = useTimeLeft(saved, (counts?.open ?? 0) - saved);
  useEffect(() => {
    document.title = `${total === 0 ? '' : `${done} of ${total} · `}Review · Touchstone`;
  }, [done, total]);
  return (
    <div class="review">
      <header class="review-heading">
        <h1>Review</h1>
        {counts && (
          <p class="muted" role="status">
            {whole(done)} of {whole(total)}
            {timeLeft !== undefined && ` · ${timeLeft}`}
          </p>
        )}
        <LabelsFile query={query} />
      </header>
      <ReviewSources address={address} query={query} counts={counts} />
      <Ignored names={ignored} />
      {error !== undefined && <ErrorBox error={error} onRetry={queue.restart} />}
      {queue.isLoading && <Skeleton />}
      {item && (
        <ReviewedTask
          key={`${item.runId} ${item.taskId}`}
          item={item}
          drafts={drafts}
          session={session}
          saves={queue.saves}
          onSaved={queue.save}
          onSkip={queue.skip}
          onBack={queue.at > 0 ? queue.back : undefined}
        />
      )}
      {queue.isOver &&
        (total === 0 ? (
          <NothingToReview source={query.source} runId={query.runId} />
        ) : (
          <Over queue={queue} total={total} />
        ))}
    </div>
  );
}

type Queue = ReturnType<typeof useReviewQueue>;

/** The end of the list. What was skipped still waits. */
function Over({ queue, total }: { readonly queue: Queue; readonly total: number }) {
  const left = (queue.counts?.open ?? 0) - queue.saved;
  return (
    <div class="empty" data-testid="review-done" data-done={total - left} data-left={left}>
      <p class="strong">{left <= 0 ? 'All of it is decided.' : `${plural(left, 'task')} skipped.`}</p>
      <p>
        {queue.saved > 0 && `You have decided ${plural(queue.saved, 'task')}. `}
        <a href="/judges">See how far the judge agrees.</a>
      </p>
      <p class="choices">
        {left > 0 && (
          <button type="button" onClick={queue.restart}>
            Look at what was skipped
          </button>
        )}
        {queue.at > 0 && (
          <button type="button" title="[" onClick={queue.back}>
            Back
          </button>
        )}
      </p>
    </div>
  );
}

const WHAT: { readonly [source: string]: string } = {
  failures: 'No task failed',
  unscored: 'Every task could be scored',
  flagged: 'Nobody has flagged a task',
  'low-agreement': 'The votes of the judge never differed',
  sample: 'There is no completed run to draw from yet',
};

type NothingProps = { readonly source: string; readonly runId: string | undefined };

const NothingToReview = ({ source, runId }: NothingProps) =>
  source === 'flagged' ? (
    <Empty>
      {WHAT[source]}. <kbd>f</kbd> flags the one that is looked at.
    </Empty>
  ) : runId === undefined ? (
    <Empty command={`touchstone run evals/first.suite.yaml --host ${location.origin}`}>
      {WHAT[source]}, in the newest run of every suite with every agent. This command makes a run:
    </Empty>
  ) : (
    <Empty>
      {WHAT[source]}, in this run. <a href={`/runs/${encodeURIComponent(runId)}`}>See its tasks</a>
    </Empty>
  );
