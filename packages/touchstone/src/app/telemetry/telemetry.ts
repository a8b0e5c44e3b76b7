import { withTraceparent } from '../../net/index.js';
import type { Clock, Log, RequestOrigin, Store } from '../../ports/index.js';
import {
  createSender,
  type Exporters,
  type Sender,
  type TelemetrySettings,
  traceparentOf,
} from '../../telemetry/index.js';
import { createStretches, firstNews, type Stretch } from '../stretches.js';
import { type SignalParts, signalsOf } from './committed-signals.js';
import { createLosses } from './losses.js';
import type { RunFactsReader } from './run-facts.js';

export type TelemetryParts = SignalParts & {
  readonly store: Pick<Store, 'log'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: TelemetrySettings & { readonly kind: 'on' };
  readonly runFacts: RunFactsReader;
  /** Loads the library, which takes a tenth of a second and happens when there is something to send. */
  readonly load: () => Promise<Exporters>;
  readonly tell: ((sentence: string) => void) | undefined;
};

export type Telemetry = {
  /** Does work whose requests name the span that they belong to. */
  within<T>(origin: RequestOrigin, work: () => T): T;
  /** Sends what is left, as long as the collector takes it. */
  close(): Promise<void>;
};

/** A page is read and encoded on the one thread of the process, in a few milliseconds. */
const PAGE_EVENTS = 250;
/** While this process works, telemetry rests nine times as long as it has taken: it has a tenth of the thread. */
const REST = 9;
const LONGEST_REST_MS = 1_000;
/** Runs of a tenant whose events wait for a collector that is slow; the oldest go first. */
const MOST_WAITING = 1_000;

/**
 * Tells a collector what this process has committed. What is not sent yet waits in the log and not in memory, so a slow collector
 * slows nothing down.
 */
export function startTelemetry(parts: TelemetryParts): Telemetry {
  const { store, clock, log, settings, load, tell } = parts;
  const hurry = new AbortController();
  const rest = async (ms: number): Promise<void> =>
    hurry.signal.aborted ? undefined : clock.sleep(ms, hurry.signal).catch(() => undefined);
  const losses = createLosses({ clock, log, address: settings.target, tell });
  const sender = createSender({ clock, load, onLost: losses.add });
  const lose = ({ from, until }: Stretch, reason: string): void => losses.add(until - from, reason);
  const stretches = createStretches({
    log: store.log,
    wants: () => true,
    handle: (stretch, isStopped) => follow({ ...parts, send: sender.send, rest }, stretch, isStopped),
    onFailed(stretch, error) {
      log.error('telemetry.unread', { runId: stretch.runId }, error);
      lose(stretch, 'the log could not be read');
    },
    most: MOST_WAITING,
    onDropped: (stretch) => lose(stretch, 'it is too slow'),
  });
  stretches.start();
  return {
    within: (origin, work) => withTraceparent(() => traceparentOf(origin), work),
    async close() {
      hurry.abort();
      await sender.finish(stretches.drain());
      for (const stretch of stretches.left()) lose(stretch, 'it is too slow');
      // Whoever reads a page now ends with it: the store is about to close.
      await stretches.stop();
      losses.close();
    },
  };
}

type FollowParts = TelemetryParts & {
  readonly send: Sender['send'];
  /** Leaves the thread to others for so long, unless everybody waits for the end. */
  readonly rest: (ms: number) => Promise<void>;
};

async function follow(parts: FollowParts, stretch: Stretch, isStopped: () => boolean): Promise<void> {
  const { owner, runId } = stretch;
  const followed = await parts.runFacts(owner, runId);
  const first = followed && firstNews(followed.run.plan.fork, stretch.from);
  if (!followed || first === undefined) return;
  stretch.from = first;
  for (let fromRepeat = 0; stretch.from < stretch.until && !isStopped(); ) {
    const from = parts.clock.elapsed();
    const page = await parts.store.log.entries(owner, runId, stretch.from, PAGE_EVENTS, fromRepeat);
    // A large page may hold what is committed since; that is told when its turn comes.
    const entries = page.filter(({ firstSequence }) => firstSequence < stretch.until);
    const last = entries.at(-1);
    if (!last) return;
    const signals = await signalsOf(parts, followed, entries);
    const end = last.partial ? stretch.from : last.firstSequence + last.eventCount;
    fromRepeat = last.partial ? (last.records.at(-1)?.repeat ?? 0) + 1 : 0;
    const events = end - stretch.from;
    // From now on it is the sender who counts them, taken or lost.
    stretch.from = end;
    await parts.send(signals, events);
    await parts.rest(Math.min(LONGEST_REST_MS, REST * (parts.clock.elapsed() - from)));
  }
}
