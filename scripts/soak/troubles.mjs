// Times in which the store could not be used, because a disturbance saw to that. Errors of the host are excused then.

export function createTroubles() {
  const times = [];
  return {
    times,
    /** Returns the function that ends it. */
    begin() {
      const trouble = { from: Date.now() };
      times.push(trouble);
      return () => {
        trouble.to = Date.now();
      };
    },
    /** Whether there was trouble at this time, or up to `graceMs` before it. */
    were: (graceMs, at = Date.now()) =>
      times.some(({ from, to = Number.POSITIVE_INFINITY }) => from <= at && at <= to + graceMs),
  };
}
