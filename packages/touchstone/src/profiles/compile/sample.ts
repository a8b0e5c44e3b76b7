import { createHash } from 'node:crypto';

/**
 * Chooses `count` of `total` rows, each as likely as any other, in the order they come (Knuth's selection sampling).
 * Ask once per row, in order.
 */
export function createSampler(count: number, total: number, seed: string): () => boolean {
  const random = seededRandom(seed);
  let wanted = count;
  let left = total;
  return () => {
    const isChosen = random() * left < wanted;
    left -= 1;
    if (isChosen) wanted -= 1;
    return isChosen;
  };
}

/** Chance that is the same on every machine: numbers from 0 up to 1, by xorshift128 from a digest of the seed. */
function seededRandom(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at)) as [number, number, number, number];
  d |= 1; // All zeros would stay zeros.
  return () => {
    const mixed = d ^ (d << 11);
    [d, c, b] = [c, b, a];
    a = (a ^ (a >>> 19) ^ mixed ^ (mixed >>> 8)) >>> 0;
    return a / 2 ** 32;
  };
}
