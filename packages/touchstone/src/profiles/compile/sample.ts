import { createHash } from 'node:crypto';
import type { NormalRow } from '../types.js';
import type { CompileOptions } from './options.js';

/** A row that becomes tasks, and its place among all rows of the dataset, counted from 1. */
export type ChosenRow = { readonly row: NormalRow; readonly ordinal: number };

export type ChosenRows = {
  /** Begins a new reading. */
  readonly rows: () => AsyncIterable<ChosenRow>;
  readonly sample?: { readonly seed: string; readonly of: number };
  /** How many rows the latest reading gave. */
  count(): number;
};

export async function chooseRows(
  rows: () => AsyncIterable<NormalRow>,
  { sample }: CompileOptions,
): Promise<ChosenRows> {
  let total = 0;
  if (sample) for await (const _ of rows()) total += 1;
  const isSampled = sample !== undefined && total > sample.count;
  let count = 0;
  async function* chosen(): AsyncIterable<ChosenRow> {
    const isChosen = isSampled ? createSampler(sample.count, total, sample.seed) : () => true;
    let ordinal = 0;
    count = 0;
    for await (const row of rows()) {
      ordinal += 1;
      if (!isChosen()) continue;
      count += 1;
      yield { row, ordinal };
    }
  }
  return {
    rows: chosen,
    count: () => count,
    ...(isSampled && { sample: { seed: sample.seed, of: total } }),
  };
}

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
