/**
 * The chances of 0, 1, … `count` hits when each has the given chance. Multiplied outwards from the likeliest number and
 * scaled at the end: what underflows on the way is too rare to matter, and nothing else does.
 */
export function binomialChances(count: number, chance: number): Float64Array {
  const chances = new Float64Array(count + 1);
  const likeliest = Math.min(count, Math.floor((count + 1) * chance));
  const odds = chance / (1 - chance);
  let total = 1;
  chances[likeliest] = 1;
  for (let hits = likeliest, now = 1; hits < count && now > 0; hits += 1) {
    now *= ((count - hits) / (hits + 1)) * odds;
    chances[hits + 1] = now;
    total += now;
  }
  for (let hits = likeliest, now = 1; hits > 0 && now > 0; hits -= 1) {
    now *= hits / (count - hits + 1) / odds;
    chances[hits - 1] = now;
    total += now;
  }
  return chances.map((weight) => weight / total);
}

/** How often a fair coin shows heads at least so many times in `count` throws. */
export function fairTail(count: number, atLeast: number): number {
  const chances = binomialChances(count, 0.5);
  let tail = 0;
  // The rare ones first, so that they are not lost in the sum of the others.
  for (let hits = count; hits >= Math.max(0, atLeast); hits -= 1) tail += chances[hits] as number;
  return Math.min(1, tail);
}
