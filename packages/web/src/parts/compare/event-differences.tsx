import type { Json } from '@touchstone/protocol';
import type { RunDiff } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { Diff } from '../diff.js';
import { ErrorBox } from '../error-box.js';
import { Empty, Skeleton } from '../states.js';

type EventsProps = { readonly before: string; readonly after: string };

/** The two logs event by event. Both are read whole for it, so nobody gets it unasked. */
export function EventDifferences({ before, after }: EventsProps) {
  const [isWanted, want] = useState(false);
  const { data, error, reload } = useQuery(isWanted ? `diff ${before} ${after}` : undefined, (signal) =>
    client.runs.diff(before as never, after as never, { signal }),
  );
  if (!isWanted)
    return (
      <div class="empty">
        <p>The host reads both logs whole to compare them event by event. Large runs take some seconds.</p>
        <button type="button" onClick={() => want(true)}>
          Compare the events
        </button>
      </div>
    );
  if (error !== undefined) return <ErrorBox error={error} onRetry={reload} />;
  if (!data) return <Skeleton />;
  if (data.eventDiffs.length === 0) return <Empty>The two logs are equal, clocks and ids left aside.</Empty>;
  return <Differences diff={data} />;
}

const MOST_SHOWN = 100;
const OPS = { added: 'only after', removed: 'only before', changed: 'changed' } as const;

const Differences = ({ diff: { eventDiffs, truncated } }: { readonly diff: RunDiff }) => (
  <div class="event-differences">
    <p role="status">
      {plural(eventDiffs.length, 'event')} differ{truncated && ', and further ones were left out'}.
      {eventDiffs.length > MOST_SHOWN && ` The first ${MOST_SHOWN} are shown.`}
    </p>
    <ol>
      {eventDiffs.slice(0, MOST_SHOWN).map(({ seq, op, aEvent, bEvent }) => (
        <li key={seq}>
          <details>
            <summary>
              <span class="number">{seq}</span> <span class={`op ${op}`}>{OPS[op]}</span>{' '}
              <code>{typeOf(bEvent ?? aEvent)}</code>
            </summary>
            <Diff before={(aEvent ?? '') as Json} after={(bEvent ?? '') as Json} />
          </details>
        </li>
      ))}
    </ol>
  </div>
);

const typeOf = (event: object | undefined): string =>
  event && 'type' in event ? String(event.type) : 'too large to show';
