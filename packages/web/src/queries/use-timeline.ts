import type { RunEvent, RunSnapshot } from '@touchstone/sdk';
import { type Timeline, timelineOf } from '@touchstone/sdk/view';
import { useEffect, useRef } from 'preact/hooks';
import { client } from '../source.js';
import { type QueryState, useQuery } from './use-query.js';

/** What has been said so far in a run that asks people. Its log is short; it is read on when the run has more events. */
export function useTimeline({ runId, touchstone }: RunSnapshot): QueryState<Timeline> {
  const count = touchstone?.eventCount ?? 0;
  const known = useRef<readonly RunEvent[]>([]);
  const query = useQuery(`timeline ${runId}`, async (signal) => {
    const after = known.current.at(-1)?.sequence;
    if (known.current.length < count) {
      const position = after === undefined ? {} : { after };
      const { events } = await client.pollEvents(runId, { timeoutSeconds: 1, signal, ...position });
      known.current = [...known.current, ...events];
    }
    return timelineOf(known.current);
  });
  useEffect(() => {
    if (known.current.length < count) query.reload();
  }, [count]);
  return query;
}
