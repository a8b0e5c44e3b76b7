import { isTerminal, type Owner, type RunId } from '@touchstone/protocol';
import { snapshotOf } from '../../app/index.js';
import type { Clock, Run, Runs, Store } from '../../ports/index.js';
import { openLiveAnnotations } from './annotations-live.js';
import type { EventPage, EventPages } from './event-pages.js';
import type { SseConnection } from './sse.js';
import { type Frame, isUpdate, renderBatch, renderFrame, type StreamMode } from './stream-modes.js';
import { listening, type Wakeups } from './wakeups.js';

export type Feed = {
  readonly pages: EventPages;
  readonly wakeups: Wakeups;
  readonly runs: Pick<Runs, 'get'>;
  readonly annotations: Pick<Store['annotations'], 'watch'>;
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
export async function streamEvents(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  modes: readonly StreamMode[],
): Promise<void> {
  await forEachPage(feed, connection, position, {
    modes,
    async visit(page) {
      const bytes = page.bytes(modes);
      if (bytes.length > 0) await connection.write(bytes);
    },
  });
}

/** The state instead of its changes: one snapshot at once, then one for each page that changed it. */
export async function streamSnapshots(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  resumed: boolean,
): Promise<void> {
  let sent = position.after;
  const send = async (run: Run | undefined): Promise<void> => {
    if (!run) return;
    sent = run.eventCount - 1;
    const frame = { event: 'state.snapshot', data: JSON.stringify(snapshotOf(run)) };
    await connection.write(renderFrame(sent < 0 ? undefined : sent, frame));
  };
  const now = async () => feed.runs.get(position.owner, position.runId);
  const first = await now();
  const upToDate =
    resumed && first !== undefined && isTerminal(first.status) && first.eventCount <= position.after + 1;
  if (!upToDate) await send(first);
  await forEachPage(
    feed,
    connection,
    { ...position, after: sent },
    {
      modes: ['values'],
      async visit(page) {
        if (page.lastSequence > sent && page.events.some((event) => isUpdate(event.type)))
          await send(await now());
      },
    },
  );
}

/** Events collected for up to `bufferMs` and sent together. A pause or the end sends what there is at once. */
export async function streamBatches(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  modes: readonly StreamMode[],
  bufferMs: number,
): Promise<void> {
  let batch: Frame[] = [];
  let dueAt: number | undefined;
  const flush = async (sequence: number): Promise<void> => {
    const frames = batch;
    batch = [];
    dueAt = undefined;
    if (frames.length > 0) await connection.write(renderBatch(sequence, frames));
  };
  await forEachPage(feed, connection, position, {
    modes,
    async visit(page) {
      batch.push(...page.events.flatMap((_, index) => page.framesAt(index, modes)));
      if (batch.length > 0) dueAt ??= feed.clock.elapsed() + bufferMs;
      if (page.complete || isFull(batch) || isSuspension(page) || isDue(dueAt, feed))
        await flush(page.lastSequence);
    },
    patienceMs: () => (dueAt === undefined ? undefined : dueAt - feed.clock.elapsed()),
  });
}

const MAX_BATCH = 500;
const isFull = (batch: readonly Frame[]): boolean => batch.length >= MAX_BATCH;
const isSuspension = (page: EventPage): boolean => page.events.some((event) => event.type === 'run.paused');
const isDue = (dueAt: number | undefined, feed: Feed): boolean =>
  dueAt !== undefined && feed.clock.elapsed() >= dueAt;

type Visitor = {
  readonly modes: readonly StreamMode[];
  visit(page: EventPage): Promise<void>;
  /** How long the next page may be waited for; as long as it takes when undefined. */
  patienceMs?(): number | undefined;
};

/**
 * Visits the pages after a position, empty ones included, until the run has ended or the reader is gone. The one loop
 * behind every stream: a first reader, a reconnecting one and a live one take the same way, and annotations made meanwhile
 * are written by it too, so that a stream has one writer.
 */
function forEachPage(
  feed: Feed,
  connection: SseConnection,
  position: StreamPosition,
  { modes, visit, patienceMs }: Visitor,
): Promise<void> {
  const { owner, runId, clearedAt } = position;
  return listening(feed.wakeups, runId, connection.signal, async (wakeup) => {
    const live = openLiveAnnotations(feed.annotations, position, modes);
    try {
      let { after } = position;
      while (!connection.signal.aborted) {
        const page = await feed.pages.read(owner, runId, after, clearedAt);
        // Before the page: it may be the last one, and a stream ends with its run.
        // One at a time, so that a reader who does not read holds no more of them than the first.
        for (let frame = live.take(); frame; frame = live.take()) await connection.write(frame);
        await visit(page);
        after = page.lastSequence;
        if (page.complete) return;
        await connection.keepAlive();
        if (page.events.length === 0) await live.orElse(() => wakeup.next(patienceMs?.()));
      }
    } finally {
      live.close();
    }
  });
}
