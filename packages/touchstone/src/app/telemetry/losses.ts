import { asId, type Id } from '@touchstone/protocol';
import type { Clock, Log } from '../../ports/index.js';

/** What did not reach the collector: counted here, and told now and then, so that an outage costs a few lines. */
export type Losses = {
  add(events: number, reason: string): void;
  /** Tells what has not been told yet. */
  close(): void;
};

const EVERY_MS = 60_000;

type LossParts = {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
  readonly address: string;
  /** Where people read it: one line, at the end. A host has its log, and does not wait for its end. */
  readonly tell: ((sentence: string) => void) | undefined;
};

export function createLosses({ clock, log, address, tell }: LossParts): Losses {
  let lost = 0;
  let why = '';
  let nextAt = Number.NEGATIVE_INFINITY;

  function report(): void {
    if (lost === 0) return;
    tell?.(
      `OpenTelemetry: ${address} did not take everything (${why}): the telemetry of ${lost} ${lost === 1 ? 'event' : 'events'} is lost. Scores and exit code do not depend on it.`,
    );
    const facts = { events: lost, address: asId<Id<'url'>>(address), reason: asId<Id<'reason'>>(why) };
    log.warn('telemetry.lost', facts);
    lost = 0;
    nextAt = clock.elapsed() + EVERY_MS;
  }

  return {
    add(events, reason) {
      if (lost === 0) why = reason;
      lost += events;
      if (!tell && clock.elapsed() >= nextAt) report();
    },
    close: report,
  };
}
