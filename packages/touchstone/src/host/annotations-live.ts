import type { Owner, RunId } from '@touchstone/contract';
import type { Annotation, Store } from '@touchstone/contract/ports';
import { annotationWire } from './annotations.js';
import { remarkName, renderFrame, type StreamMode } from './stream-modes.js';

/** Remarks on a run that were made while one reader's stream is open, and have not been written to it yet. */
type Remarks = {
  /** All of them as frames, in the order they were made; empty when there are none. */
  take(): string;
  /** Waits for something else, but no longer than until there is a remark to take. */
  orElse(wait: () => Promise<void>): Promise<void>;
  close(): void;
};

/** A reader that lags behind this far misses what comes then. Remarks are stored: who needs them all lists them. */
const MAX_WAITING = 1_000;

/**
 * Listens for remarks on behalf of one stream. Their frames bear no id: they are no events, and a reader that comes back
 * goes on after the last event it has seen.
 */
export function openRemarks(
  annotations: Pick<Store['annotations'], 'watch'>,
  place: { readonly owner: Owner; readonly runId: RunId },
  modes: readonly StreamMode[],
): Remarks {
  const event = remarkName(modes);
  let waiting: string[] = [];
  let announce: () => void = () => undefined;
  let unfinished: Promise<void> | undefined;

  const hear = (annotation: Annotation): void => {
    if (event === undefined || waiting.length >= MAX_WAITING) return;
    waiting.push(renderFrame(undefined, { event, data: JSON.stringify(annotationWire(annotation)) }));
    announce();
  };

  return {
    take() {
      const text = waiting.join('');
      waiting = [];
      return text;
    },
    async orElse(wait) {
      // A wait that was cut short goes on, and is taken up again instead of starting another one beside it.
      unfinished ??= wait().finally(() => {
        unfinished = undefined;
      });
      const announced = new Promise<void>((resolve) => {
        announce = resolve;
        if (waiting.length > 0) resolve();
      });
      await Promise.race([unfinished, announced]);
    },
    close: annotations.watch(place.owner, place.runId, hear),
  };
}
