// Chance with a seed: what happens is the same for equal seeds, when exactly is not, because real processes take part.

export function createRandom(seed) {
  let state = seed >>> 0;
  /** Mulberry32: small, and good enough to choose with. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)],
  };
}
