import type { Clock } from '../../ports/index.js';
import type { Db } from '../db.js';
import type { LeaseClock } from '../log/lease-clock.js';
import { NOTED_SKEW_MS } from './server-facts.js';

const NOW = 'SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now_ms';
const EVERY_MS = 10_000;

type Options = {
  readonly clock: Clock;
  readonly db: Pick<Db, 'all'>;
  /** As it was measured when the store was opened. */
  readonly skewMs: number;
  readonly onSkew: (skewMs: number) => void;
};

/** The time of the server, as far as this machine's clock is off by more than the noise of asking. */
export function createServerClock({ clock, db, skewMs, onSkew }: Options): LeaseClock {
  let offsetMs = 0;
  let measuredAt = clock.elapsed();
  const use = (measuredMs: number): void => {
    const noted = Math.abs(measuredMs) > NOTED_SKEW_MS ? Math.round(measuredMs) : 0;
    if (noted !== 0 && Math.abs(noted - offsetMs) > NOTED_SKEW_MS) onSkew(noted);
    offsetMs = noted;
  };
  const measure = async (): Promise<void> => {
    const askedAt = Date.now();
    const [row] = await db.all(NOW, []);
    // The answer was given about half-way between the question and its arrival.
    if (row) use(Number(row.now_ms) - (askedAt + Date.now()) / 2);
  };
  use(skewMs);
  return {
    ...clock,
    now: () => clock.now() + offsetMs,
    measure() {
      if (clock.elapsed() - measuredAt < EVERY_MS) return;
      measuredAt = clock.elapsed();
      // The next renewal measures again.
      void measure().catch(() => undefined);
    },
  };
}
