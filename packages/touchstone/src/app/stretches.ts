import type { Fork, Owner, RunId } from '@touchstone/protocol';
import type { AppendNotice, RunLog } from '../ports/index.js';

/** Events `from` to before `until` of a run, committed by this process and not handled yet. */
export type Stretch = { readonly owner: Owner; readonly runId: RunId; from: number; until: number };

type StretchParts = {
  readonly log: Pick<RunLog, 'watchAll'>;
  readonly wants: (owner: Owner) => boolean;
  /** Reads the stretch, and moves its `from` along. */
  readonly handle: (stretch: Stretch, isStopped: () => boolean) => Promise<void>;
  readonly onFailed: (stretch: Stretch, error: unknown) => void;
  /** With `most`: more stretches of a tenant do not wait. The oldest goes, and is told here. */
  readonly most?: number;
  readonly onDropped?: (stretch: Stretch) => void;
};

export type Stretches = {
  start(): void;
  /** Takes nothing more. What is under way ends at its next page; what waits is left. */
  stop(): Promise<void>;
  /** Takes nothing more. Resolves when everything has been handled. */
  drain(): Promise<void>;
  /** Everything that is not handled yet. */
  left(): readonly Stretch[];
};

/** Follows what this process commits, run by run: what is to be told of it is read from the log when its turn comes. */
export function createStretches(parts: StretchParts): Stretches {
  const { log, wants, handle, onFailed, most = Number.POSITIVE_INFINITY } = parts;
  // One queue for each tenant: a long log of one does not hold up the events of another.
  const queues = new Map<string, Stretch[]>();
  const working = new Set<Promise<void>>();
  const current = new Set<Stretch>();
  let unwatch: (() => void) | undefined;
  let isStopped = false;

  async function work(tenant: string, waiting: Stretch[]): Promise<void> {
    for (let stretch = waiting.shift(); stretch && !isStopped; stretch = waiting.shift()) {
      const mine = stretch;
      current.add(mine);
      await handle(mine, () => isStopped).catch((error) => onFailed(mine, error));
      current.delete(mine);
    }
    queues.delete(tenant);
  }

  function enqueue({ owner, runId, firstSequence, eventCount }: AppendNotice): void {
    const waiting = queues.get(owner.tenant) ?? [];
    // The last stretch of a run grows while it waits, so a busy run waits once, not once per commit.
    const last = waiting.findLast((stretch) => stretch.runId === runId);
    if (last?.until === firstSequence) {
      last.until += eventCount;
      return;
    }
    waiting.push({ owner, runId, from: firstSequence, until: firstSequence + eventCount });
    const dropped = waiting.length > most ? waiting.shift() : undefined;
    if (dropped) parts.onDropped?.(dropped);
    if (queues.has(owner.tenant)) return;
    queues.set(owner.tenant, waiting);
    const done = work(owner.tenant, waiting);
    working.add(done);
    void done.finally(() => working.delete(done));
  }

  const allDone = async (): Promise<void> => {
    unwatch?.();
    await Promise.all(working);
  };
  return {
    start() {
      unwatch ??= log.watchAll((notice) => {
        if (wants(notice.owner)) enqueue(notice);
      });
    },
    stop() {
      isStopped = true;
      return allDone();
    },
    drain: allDone,
    left: () => [...current, ...[...queues.values()].flat()],
  };
}

/** The events that a fork copies were told when they happened. A replay has no new ones at all. */
export function firstNews(fork: Fork | undefined, from: number): number | undefined {
  if (!fork) return from;
  return fork.mode === 'replay' ? undefined : Math.max(from, fork.fromSeq);
}
