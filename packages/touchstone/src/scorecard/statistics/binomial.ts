/**
 * The chances of 0, 1, … `count` hits when each has the given chance. Multiplied outwards from the likeliest number and
 * scaled at the end: what underflows on the way is too rare to matter, and nothing else does.
 */
export function binomialChances(
  count: number,
  chance: number,
  /** Where they are written: one room for many questions about long suites. */
  room: Float64Array = new Float64Array(count + 1),
): Float64Array {
  const chances = room.fill(0);
  const likeliest = Math.min(count, Math.floor((count + 1) * chance));
  const odds = chance / (1 - chance);
  let total = 1;
  let [low, high] = [likeliest, likeliest];
  chances[likeliest] = 1;
  for (let now = 1; high < count && now > 0; high += 1) {
    now *= ((count - high) / (high + 1)) * odds;
    chances[high + 1] = now;
    total += now;
  }
  for (let now = 1; low > 0 && now > 0; low -= 1) {
    now *= low / (count - low + 1) / odds;
    chances[low - 1] = now;
    total += now;
  }
  for (let hits = low; hits <= high; hits += 1) chances[hits] = (chances[hits] as number) / total;
  return chances;
}

/** How often a fair coin shows heads at least so many times in `count` throws. */
export function fairTail(count: number, atLeast: number): number {
  const chances = binomialChances(count, 0.5);
  let tail = 0;
  // The rare ones first, so that they are not lost in the sum of the others.
  for (let hits = count; hits >= Math.max(0, atLeast); hits -= 1) tail += chances[hits] as number;
  return Math.min(1, tail);
}
