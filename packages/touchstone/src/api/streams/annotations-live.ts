import type { Owner, RunId } from '@touchstone/protocol';
import { annotationWire, createSharedBytes, type HeldBytes, type SharedBytes } from '../../app/index.js';
import type { Annotation, Store } from '../../ports/index.js';
import { admitsAnnotations, renderAnnotation, type StreamMode } from './stream-modes.js';

// A frame counts once, however many streams hold it: they hold the same bytes. But streams that lag at different places
// hold different frames. So there is a bound for a run, beside the one for everything that readers of a tenant hold.
const MAX_RUN_BYTES = 1024 * 1024;

type Parts = { readonly annotations: Pick<Store['annotations'], 'watch'>; readonly held: HeldBytes };
type RunPosition = { readonly owner: Owner; readonly runId: RunId };
/** What streams of one run hold of annotations that they could not write yet. */
type RunFrames = SharedBytes<Buffer> & { streams: number };

const runsOf = new WeakMap<HeldBytes, Map<RunId, RunFrames>>();

/** Joins the streams of a run, among all streams of a host; `leave` when the stream holds nothing any more. */
function joinRun(total: HeldBytes, { owner, runId }: RunPosition): SharedBytes<Buffer> & { leave(): void } {
  const runs = runsOf.get(total) ?? new Map<RunId, RunFrames>();
  runsOf.set(total, runs);
  const frames = runs.get(runId) ?? createRunFrames(total, owner);
  runs.set(runId, frames);
  frames.streams += 1;
  return {
    ...frames,
    leave() {
      frames.streams -= 1;
      if (frames.streams === 0) runs.delete(runId);
    },
  };
}

function createRunFrames(total: HeldBytes, { tenant }: Owner): RunFrames {
  let bytes = 0;
  const shared = createSharedBytes<Buffer>(
    ({ length }) => {
      const fits = bytes + length <= MAX_RUN_BYTES && total.tryHold(tenant, length);
      if (fits) bytes += length;
      return fits;
    },
    ({ length }) => {
      bytes -= length;
      total.release(tenant, length);
    },
  );
  return { ...shared, streams: 0 };
}

/** Annotations on a run that were made while one reader's stream is open, and have not been written to it yet. */
type LiveAnnotations = {
  /** The next one as a frame, in the order they were made; undefined when there is none. */
  take(): Buffer | undefined;
  /** Waits for something else, but no longer than until there is an annotation to take. */
  orElse(wait: () => Promise<void>): Promise<void>;
  close(): void;
};

/** A reader that lags behind this far misses what comes then. Annotations are stored: who needs them all lists them. */
const MAX_WAITING = 200;

/**
 * Listens for annotations on behalf of one stream. Their frames bear no id: they are no events, and a reader that comes back
 * goes on after the last event it has seen.
 */
export function openLiveAnnotations(
  { annotations, held }: Parts,
  place: RunPosition,
  modes: readonly StreamMode[],
): LiveAnnotations {
  const frames = joinRun(held, place);
  const waiting: Buffer[] = [];
  let announce: () => void = () => undefined;
  let unfinished: Promise<void> | undefined;

  const hear = (annotation: Annotation): void => {
    const frame = frameOf(annotation);
    if (waiting.length >= MAX_WAITING || !frames.hold(frame)) return;
    waiting.push(frame);
    announce();
  };
  const unwatch = admitsAnnotations(modes)
    ? annotations.watch(place.owner, place.runId, hear)
    : () => undefined;

  return {
    take() {
      const frame = waiting.shift();
      if (frame) frames.release(frame);
      return frame;
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
    close() {
      unwatch();
      for (const frame of waiting.splice(0)) frames.release(frame);
      frames.leave();
    },
  };
}

const written = new WeakMap<Annotation, Buffer>();

/** Written once: however many streams hold an annotation, they hold the same bytes. */
function frameOf(annotation: Annotation): Buffer {
  const frame =
    written.get(annotation) ?? Buffer.from(renderAnnotation(JSON.stringify(annotationWire(annotation))));
  written.set(annotation, frame);
  return frame;
}
