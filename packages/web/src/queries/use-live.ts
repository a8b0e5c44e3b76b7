import type { RunProgress } from '@touchstone/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../source.js';

export type LiveState = 'live' | 'waiting' | 'lost' | 'ended';

/** Counters move at most so often: nobody can read faster. */
const EVERY_MS = 250;
/** The pause before a lost feed is opened again. */
const RETRY_MS = 1_000;

type LiveCalls = {
  readonly onEnd: () => void;
  /** The tab was hidden and is looked at again: what it shows is old. */
  readonly onReturn: () => void;
};

/** The live feed of a run. Closed while the tab is hidden: a browser has six connections to a host for all tabs together. */
export function useLive(runId: string, isOn: boolean, { onEnd, onReturn }: LiveCalls) {
  const [state, setState] = useState<LiveState>('waiting');
  const [progress, setProgress] = useState<RunProgress>();
  const [isHidden, setHidden] = useState(document.visibilityState === 'hidden');
  useEffect(() => {
    const look = (): void => setHidden(document.visibilityState === 'hidden');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  const wasHidden = useRef(false);
  useEffect(() => {
    if (isOn && wasHidden.current && !isHidden) onReturn();
    wasHidden.current = isHidden;
  }, [isHidden]);
  useEffect(() => {
    if (!isOn || isHidden) return undefined;
    const giveUp = new AbortController();
    const show = paced(setProgress);
    follow(runId, giveUp.signal, show, setState).then(
      () => {
        setState('ended');
        onEnd();
      },
      () => undefined,
    );
    return () => giveUp.abort();
  }, [runId, isOn, isHidden]);
  return { state: isOn ? state : 'ended', progress } as const;
}

async function follow(
  runId: string,
  signal: AbortSignal,
  show: (progress: RunProgress) => void,
  setState: (state: LiveState) => void,
): Promise<void> {
  for (;;) {
    try {
      for await (const message of client.progress(runId as never, { signal })) {
        setState('live');
        if (message.event === 'progress') show(message.data);
      }
      const { status } = await client.runs.get(runId as never, { signal });
      if (['completed', 'failed', 'cancelled'].includes(status)) return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error) setState('lost');
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal.throwIfAborted();
  }
}

/** Shows the latest of many, now and then. */
function paced(show: (progress: RunProgress) => void): (progress: RunProgress) => void {
  let latest: RunProgress | undefined;
  return (progress) => {
    const isWaiting = latest !== undefined;
    latest = progress;
    if (isWaiting) return;
    setTimeout(() => {
      if (latest) show(latest);
      latest = undefined;
    }, EVERY_MS);
  };
}

/** Reads a run anew that was read while it waited for its turn, and has begun since. */
export function useBeginning(status: string, progress: RunProgress | undefined, reload: () => void): void {
  const hasBegun = progress !== undefined && progress.done > 0;
  useEffect(() => {
    if (hasBegun && status === 'pending') reload();
  }, [hasBegun]);
}
