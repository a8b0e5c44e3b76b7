import type { PendingMove } from '@touchstone/protocol';
import { useNow } from '../../queries/use-interval.js';
import { Deadline } from './deadline.js';
import { stateWord } from './version-lane.js';

/** A move that waits for people, in one line. */
export function PendingLine({ move }: { readonly move: PendingMove }) {
  const now = useNow();
  return (
    <p class="pending" data-testid="approval" data-run={move.runId}>
      <span class="waits" aria-hidden="true">
        ●
      </span>
      <span>
        <code>{move.version}</code> → {stateWord(move.to)}, asked by {move.by}
      </span>
      <span class="muted">
        gate {move.gateId}: {move.granted} of {move.quorum} grants
      </span>
      {move.until !== undefined && <Deadline until={move.until} now={now} />}
      <a href={`/approvals/${encodeURIComponent(move.runId)}`}>See the question</a>
    </p>
  );
}
