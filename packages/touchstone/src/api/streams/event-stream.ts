import type { Owner, RunId } from '@touchstone/protocol';
import { type HeldBytes, snapshotOf } from '../../app/index.js';
import { type Clock, PAGE_BYTES, type Run, type Runs, type Store } from '../../ports/index.js';
import { openLiveAnnotations } from './annotations-live.js';
import { type EventPage, type EventPages, hasNews, isOver } from './event-pages.js';
import type { SseConnection } from './sse.js';
import {
  type Frame,
  isSuspension,
  isUpdate,
  renderBatch,
  renderFrame,
  type StreamMode,
} from './stream-modes.js';
import { listening, type Wakeups } from './wakeups.js';

export type Feed = {
  readonly pages: EventPages;
  readonly wakeups: Wakeups;
  readonly runs: Pick<Runs, 'get'>;
  readonly annotations: Pick<Store['annotations'], 'watch'>;
  /** What readers have not taken yet. */
  readonly held: HeldBytes;
  readonly clock: Pick<Clock, 'elapsed'>;
};
export type StreamPosition = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly after: number;
  /** When the content of the run was removed. */
  readonly clearedAt?: number | undefined;
};

/** Sends every admitted event after a position, until the run's last one. */
export const streamEvents = (
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  modes: readonly StreamMode[],
): Promise<void> =>
  forEachPage(feed, connection, position, { modes, visit: async (page) => page.bytes(modes) });

/** The state instead of its changes: one snapshot at once, then one for each page that changed it. */
export async function streamSnapshots(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  resumed: boolean,
): Promise<void> {
  let sent = position.after;
  const snapshot = (run: Run | undefined): string | undefined => {
    if (!run) return undefined;
    sent = run.eventCount - 1;
    const frame = { event: 'state.snapshot', data: JSON.stringify(snapshotOf(run)) };
    return renderFrame(sent < 0 ? undefined : sent, frame);
  };
  const now = async () => snapshot(await feed.runs.get(position.owner, position.runId));
  const head = await feed.pages.head(position.owner, position.runId);
  if (!resumed || !isOver(head, position.after)) await connection.writeNext(now);
  await forEachPage(
    feed,
    connection,
    { ...position, after: sent },
    {
      modes: ['values'],
      async visit(page) {
        const isChange = page.lastSequence > sent && page.events.some((event) => isUpdate(event.type));
        return isChange ? now() : undefined;
      },
    },
  );
}

/** Events collected for up to `bufferMs` and sent together. A run that waits, or ends, sends what there is at once. */
export async function streamBatches(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  modes: readonly StreamMode[],
  bufferMs: number,
): Promise<void> {
  const batch = createBatch(feed.clock, bufferMs);
  await forEachPage(feed, connection, position, {
    modes,
    async visit(page) {
      batch.add(
        page.lastSequence,
        page.events.flatMap((_, index) => page.framesAt(index, modes)),
      );
      const isSuspended = page.events.some((event) => isSuspension(event.type));
      return page.complete || isSuspended || batch.isDue() ? batch.take() : undefined;
    },
    quiet: () => (batch.isDue() ? batch.take() : undefined),
    patienceMs: batch.leftMs,
  });
}

const MAX_BATCH = 500;
/** Little, because what a batch gathers is in memory before there is a reader to take it. */
const MAX_BATCH_CHARS = PAGE_BYTES / 16;

function createBatch(clock: Pick<Clock, 'elapsed'>, bufferMs: number) {
  let frames: Frame[] = [];
  let chars = 0;
  let sequence = -1;
  let dueAt: number | undefined;
  return {
    add(lastSequence: number, more: readonly Frame[]): void {
      sequence = lastSequence;
      frames.push(...more);
      for (const { data } of more) chars += data.length;
      if (frames.length > 0) dueAt ??= clock.elapsed() + bufferMs;
    },
    isDue: (): boolean =>
      frames.length >= MAX_BATCH ||
      chars >= MAX_BATCH_CHARS ||
      (dueAt !== undefined && clock.elapsed() >= dueAt),
    leftMs: (): number | undefined => (dueAt === undefined ? undefined : dueAt - clock.elapsed()),
    take(): string | undefined {
      const text = frames.length > 0 ? renderBatch(sequence, frames) : undefined;
      [frames, chars, dueAt] = [[], 0, undefined];
      return text;
    },
  };
}

type Visitor = {
  readonly modes: readonly StreamMode[];
  /** What is to be written of a page. */
  visit(page: EventPage): Promise<Buffer | string | undefined>;
  /** What is to be written when there is nothing new. */
  quiet?(): string | undefined;
  /** How long the next page may be waited for; as long as it takes when undefined. */
  patienceMs?(): number | undefined;
};

/**
 * Visits the pages after a position until the run has ended or the reader is gone. The one loop behind every stream: a
 * first reader, a reconnecting one and a live one take the same way, and annotations made meanwhile are written by it too,
 * so that a stream has one writer.
 */
function forEachPage(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  { modes, visit, quiet, patienceMs }: Visitor,
): Promise<void> {
  const { owner, runId, clearedAt } = position;
  let { after } = position;
  // The page itself is let go before its bytes are written: it is several times as large.
  const writePage = async (): Promise<'nothing' | 'something' | 'the end'> => {
    let written: 'nothing' | 'something' | 'the end' = 'nothing';
    await connection.writeNext(async () => {
      const page = await feed.pages.read(owner, runId, after, clearedAt);
      after = page.lastSequence;
      if (page.events.length > 0) written = page.complete ? 'the end' : 'something';
      return visit(page);
    });
    return written;
  };
  return listening(feed.wakeups, runId, connection.signal, async (wakeup) => {
    const live = openLiveAnnotations(feed, position, modes);
    try {
      while (!connection.signal.aborted) {
        const head = await feed.pages.head(owner, runId);
        // Before the page: it may be the last one, and a stream ends with its run.
        // One at a time, so that a reader who does not read holds no more of them than the first.
        for (let frame = live.take(); frame; frame = live.take()) await connection.write(frame);
        const written = hasNews(head, after) ? await writePage() : 'nothing';
        if (written === 'the end' || isOver(head, after)) return;
        const late = written === 'nothing' ? quiet?.() : undefined;
        if (late !== undefined) await connection.write(late);
        await connection.keepAlive();
        if (written === 'nothing') await live.orElse(() => wakeup.next(patienceMs?.()));
      }
    } finally {
      live.close();
    }
  });
}
