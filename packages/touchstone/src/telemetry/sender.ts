import type { Clock } from '../ports/index.js';
import type { Exporters } from './exporters.js';
import type { Signals } from './signals.js';

/** What a collector is asked to take at once, as the specification suggests it. */
const BATCH = 512;
/** Batches under way. More would only be held in memory for a collector that is slow. */
const MOST_UNDER_WAY = 4;
/** At the end, a collector that does not take anything within this time gets no more. */
export const PATIENCE_MS = 5_000;
/** A collector that is this quick is waited for until it has everything. */
const QUICK_MS = 1_000;

export type Sender = {
  /** Hands over what `events` events of the log became. Resolves when there is room for more. */
  send(signals: Signals, events: number): Promise<void>;
  /** Resolves when `reading` is over and everything is sent, or when the collector has had its time. */
  finish(reading: Promise<void>): Promise<void>;
};

type SenderParts = {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  readonly load: () => Promise<Exporters>;
  /** So many events of the log will not be told, and why. */
  readonly onLost: (events: number, reason: string) => void;
};

/** Hands signals to the collector in batches. It never throws and never keeps more than a few batches. */
export function createSender({ clock, load, onLost }: SenderParts): Sender {
  const underWay = new Map<Promise<void>, number>();
  let exporters: Promise<Exporters> | undefined;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const end = new AbortController();
  const ended = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));

  async function deliver(signals: Signals): Promise<string | undefined> {
    exporters ??= load();
    const { spans, results } = await exporters;
    const from = clock.elapsed();
    const answers = await Promise.all([
      ...inBatches(signals.spans).map((batch) => spans(batch)),
      ...inBatches(signals.results).map((batch) => results(batch)),
    ]);
    const reason = answers.find((answer) => answer !== undefined);
    const isQuick = reason === undefined && clock.elapsed() - from < QUICK_MS;
    if (isQuick && giveUpAt < Number.POSITIVE_INFINITY) giveUpAt = clock.elapsed() + PATIENCE_MS;
    return reason;
  }

  async function untilTooLong(): Promise<void> {
    while (!end.signal.aborted && clock.elapsed() < giveUpAt)
      await clock.sleep(giveUpAt - clock.elapsed(), end.signal).catch(() => undefined);
  }

  const allSent = async (reading: Promise<void>): Promise<void> => {
    await reading;
    await Promise.all(underWay.keys());
  };

  return {
    async send(signals, events) {
      if (signals.spans.length + signals.results.length === 0 || end.signal.aborted) return;
      const sending = deliver(signals)
        .catch(() => 'the library could not be loaded')
        .then((reason) => {
          if (underWay.delete(sending) && reason !== undefined) onLost(events, reason);
        });
      underWay.set(sending, events);
      while (underWay.size >= MOST_UNDER_WAY) await Promise.race([ended, ...underWay.keys()]);
    },
    async finish(reading) {
      giveUpAt = clock.elapsed() + PATIENCE_MS;
      await Promise.race([allSent(reading), untilTooLong()]);
      for (const events of underWay.values()) onLost(events, 'not taken in time');
      underWay.clear();
      // Whoever still waits for room goes on, and finds that nothing more is taken.
      end.abort();
      (await exporters?.catch(() => undefined))?.abandon();
    },
  };
}

function inBatches<T>(all: readonly T[]): readonly (readonly T[])[] {
  const batches: (readonly T[])[] = [];
  for (let from = 0; from < all.length; from += BATCH) batches.push(all.slice(from, from + BATCH));
  return batches;
}
