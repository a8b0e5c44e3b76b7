/** What every random choice of a test begins with. `npm run test:random` sets another one, and prints it. */
export const SEED = Number(process.env.TOUCHSTONE_TEST_SEED ?? 20_261_113);

/** Numbers from 0 up to but not including 1, the same for the same seed (mulberry32). */
export function createRandom(seed = SEED): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
