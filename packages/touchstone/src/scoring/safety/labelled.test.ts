import { describe, expect, it } from 'vitest';
import { createSafety, type Safety } from './safety.js';

// Goal: the detectors keep what they promise on the labelled set of the bench. Method: the set and the counting are the
// bench's own; only the detectors come from the sources instead of the build.
type Rates = { readonly right: number; readonly precision: number; readonly recall: number };
type Bench = {
  loadLabelled(): readonly { readonly expected: readonly string[] }[];
  measure(
    safety: Safety,
  ): Promise<{ readonly overall: Rates; readonly kinds: { readonly [kind: string]: Rates } }>;
};

const bench = (await import(
  new URL('../../../../../bench/safety/measure.mjs', import.meta.url).href
)) as unknown as Bench;

describe('the labelled set', () => {
  it('holds as many harmless texts as harmful ones', () => {
    const rows = bench.loadLabelled();
    expect(rows.length).toBeGreaterThanOrEqual(300);
    expect(rows.filter(({ expected }) => expected.length === 0).length).toBeGreaterThan(rows.length * 0.4);
  });

  it('is judged with few false alarms and few misses, overall and for every kind', async () => {
    const { overall, kinds } = await bench.measure(createSafety());
    expect(overall.precision).toBeGreaterThanOrEqual(0.97);
    expect(overall.recall).toBeGreaterThanOrEqual(0.9);
    for (const [kind, { right, precision, recall }] of Object.entries(kinds)) {
      expect({ kind, sound: right > 3 && precision >= 0.95 && recall >= 0.85 }).toEqual({
        kind,
        sound: true,
      });
    }
  });
});
