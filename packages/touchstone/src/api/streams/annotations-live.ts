import type { Owner, RunId } from '@touchstone/protocol';
import { annotationWire, type HeldBytes } from '../../app/index.js';
import type { Annotation, Store } from '../../ports/index.js';
import { admitsAnnotations, renderAnnotation, type StreamMode } from './stream-modes.js';

/** What streams hold of annotations that they could not write yet, as one of the streams sees it. */
type Board = {
  /** Whether there is room for the frame; if so, it is held until it is released as often. */
  hold(frame: Buffer): boolean;
  release(frame: Buffer): void;
  /** The stream holds nothing any more. */
  leave(): void;
};

// A frame counts once, however many streams hold it: they hold the same bytes. But streams that lag at different places
// hold different frames. So there is a bound for a run, beside the one for everything that readers of a tenant hold.
const MAX_RUN_BYTES = 1024 * 1024;

type Parts = { readonly annotations: Pick<Store['annotations'], 'watch'>; readonly held: HeldBytes };
type Place = { readonly owner: Owner; readonly runId: RunId };
type HeldFrames = { bytes: number; streams: number; readonly frames: Map<Buffer, number> };

const runsOf = new WeakMap<HeldBytes, Map<RunId, HeldFrames>>();

/** Joins the streams of a run, among all streams of a host. */
function joinBoard(total: HeldBytes, { owner: { tenant }, runId }: Place): Board {
  const runs = runsOf.get(total) ?? new Map<RunId, HeldFrames>();
  runsOf.set(total, runs);
  const held = runs.get(runId) ?? { bytes: 0, streams: 0, frames: new Map<Buffer, number>() };
  runs.set(runId, held);
  held.streams += 1;

  return {
    hold(frame) {
      const holders = held.frames.get(frame) ?? 0;
      if (holders === 0) {
        if (held.bytes + frame.length > MAX_RUN_BYTES || !total.tryHold(tenant, frame.length)) return false;
        held.bytes += frame.length;
      }
      held.frames.set(frame, holders + 1);
      return true;
    },
    release(frame) {
      const holders = held.frames.get(frame) ?? 0;
      if (holders > 1) held.frames.set(frame, holders - 1);
      else if (held.frames.delete(frame)) {
        held.bytes -= frame.length;
        total.release(tenant, frame.length);
      }
    },
    leave() {
      held.streams -= 1;
      if (held.streams === 0) runs.delete(runId);
    },
  };
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
  place: Place,
  modes: readonly StreamMode[],
): LiveAnnotations {
  const board = joinBoard(held, place);
  const waiting: Buffer[] = [];
  let announce: () => void = () => undefined;
  let unfinished: Promise<void> | undefined;

  const hear = (annotation: Annotation): void => {
    const frame = frameOf(annotation);
    if (waiting.length >= MAX_WAITING || !board.hold(frame)) return;
    waiting.push(frame);
    announce();
  };
  const unwatch = admitsAnnotations(modes)
    ? annotations.watch(place.owner, place.runId, hear)
    : () => undefined;

  return {
    take() {
      const frame = waiting.shift();
      if (frame) board.release(frame);
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
      for (const frame of waiting.splice(0)) board.release(frame);
      board.leave();
    },
  };
}

const frames = new WeakMap<Annotation, Buffer>();

/** Written once: however many streams hold an annotation, they hold the same bytes. */
function frameOf(annotation: Annotation): Buffer {
  const frame =
    frames.get(annotation) ?? Buffer.from(renderAnnotation(JSON.stringify(annotationWire(annotation))));
  frames.set(annotation, frame);
  return frame;
}
