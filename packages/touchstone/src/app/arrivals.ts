/** Longer than a hundred callers take to be let in. */
const HOLD_MS = 20;
/** Of the time, work is held up for a tenth at most, however many connect. */
const REST = 9;

/**
 * Since libuv 1.45 a process lets in one caller in a turn of its event loop. When many connect at once, a turn that does no
 * work takes a tenth of a millisecond, and one that does work up to a hundred times as long. So no work begins while they come.
 */
export function createArrivals(elapsed: () => number) {
  let hasArrived = false;
  let heldSince: number | undefined;
  let restsUntil = 0;

  function end(since: number, now: number): false {
    heldSince = undefined;
    restsUntil = now + REST * (now - since);
    return false;
  }

  return {
    arrived(): void {
      hasArrived = true;
    },
    /** Asked once in a turn: whether work is to wait for the next one. */
    holdWork(): boolean {
      const now = elapsed();
      const came = hasArrived;
      hasArrived = false;
      if (now < restsUntil) return false;
      const since = heldSince ?? now;
      if (!came || now - since >= HOLD_MS) return end(since, now);
      heldSince = since;
      return true;
    },
  };
}
