/** The chance that all of `drawn` things, taken from `count` without putting back, are among the `good` ones. */
function allGood(count: number, good: number, drawn: number): number {
  if (good < drawn) return 0;
  let chance = 1;
  // Factor by factor: the binomials themselves outgrow a double long before 100 repeats.
  for (let taken = 0; taken < drawn; taken += 1) chance *= (good - taken) / (count - taken);
  return chance;
}

/** pass^j: all of j repeats pass. */
export const passHat = (repeats: number, passed: number, j: number): number => allGood(repeats, passed, j);

/** pass@j: at least one of j repeats passes. */
export const passAt = (repeats: number, passed: number, j: number): number =>
  1 - allGood(repeats, repeats - passed, j);
