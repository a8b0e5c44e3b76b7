import type { Clock } from '../../ports/index.js';

/** The clock that leases go by. All processes on a store have to agree on it. */
export type LeaseClock = Clock & {
  /** Called now and then: clocks drift apart. */
  measure(): void;
};

/** For a store of one machine, whose processes have the same clock. */
export const ownClock = (clock: Clock): LeaseClock => ({
  now: () => clock.now(),
  elapsed: () => clock.elapsed(),
  sleep: (ms, signal) => clock.sleep(ms, signal),
  measure: () => undefined,
});
