import type { RunId } from '@touchstone/protocol';

/** What streams hold of annotations that they could not write yet, as one of the streams sees it. */
type Board = {
  /** Whether there is room for the frame; if so, it is held until it is released as often. */
  hold(frame: Buffer): boolean;
  release(frame: Buffer): void;
  /** The stream holds nothing any more. */
  leave(): void;
};

// A frame counts once, however many streams hold it: they hold the same bytes. But streams that lag at different places
// hold different frames, and the number of streams is not bounded, so there is a bound for all of them together.
const MAX_RUN_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

type Total = { bytes: number; readonly runs: Map<RunId, HeldFrame> };
type HeldFrame = { bytes: number; streams: number; readonly frames: Map<Buffer, number> };

const totals = new WeakMap<object, Total>();

/** Joins the streams of a run, among all streams that are told of annotations by the same `source`. */
export function joinBoard(source: object, runId: RunId): Board {
  const total = totals.get(source) ?? { bytes: 0, runs: new Map<RunId, HeldFrame>() };
  totals.set(source, total);
  const held = total.runs.get(runId) ?? { bytes: 0, streams: 0, frames: new Map<Buffer, number>() };
  total.runs.set(runId, held);
  held.streams += 1;
  const count = (bytes: number): void => {
    held.bytes += bytes;
    total.bytes += bytes;
  };
  const hasRoom = ({ length }: Buffer): boolean =>
    held.bytes + length <= MAX_RUN_BYTES && total.bytes + length <= MAX_TOTAL_BYTES;

  return {
    hold(frame) {
      const holders = held.frames.get(frame) ?? 0;
      if (holders === 0) {
        if (!hasRoom(frame)) return false;
        count(frame.length);
      }
      held.frames.set(frame, holders + 1);
      return true;
    },
    release(frame) {
      const holders = held.frames.get(frame) ?? 0;
      if (holders > 1) held.frames.set(frame, holders - 1);
      else if (held.frames.delete(frame)) count(-frame.length);
    },
    leave() {
      held.streams -= 1;
      if (held.streams === 0) total.runs.delete(runId);
    },
  };
}
