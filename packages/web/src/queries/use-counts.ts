import type { HostCounts } from '@touchstone/protocol';
import { useEffect } from 'preact/hooks';
import { client } from '../source.js';
import { onWrite } from '../writes.js';
import { useInterval } from './use-interval.js';
import { usePainted } from './use-painted.js';
import { useQuery } from './use-query.js';

const LOOK_AGAIN_MS = 15_000;

/** What waits and what runs, for badges. What is done on this page counts at once. Nothing while the host does not say it. */
export function useCounts(isOn = true): HostCounts | undefined {
  const isPainted = usePainted(true);
  const { data, reload } = useQuery(isOn && isPainted ? 'counts' : undefined, (signal) =>
    client.counts({ signal }),
  );
  useInterval(reload, LOOK_AGAIN_MS);
  useEffect(() => onWrite(reload), [reload]);
  return data;
}
