// How often the detectors are right: on a labelled set, not on the world.
import { measure } from '../safety/measure.mjs';

const BUILT = new URL('../../packages/touchstone/dist/scoring/safety/safety.js', import.meta.url);
const TARGET = { precision: 0.97, recall: 0.9 };
const share = (value) => value.toFixed(3);

export async function safety({ report }) {
  const { createSafety } = await import(BUILT.href);
  const { overall, kinds, disagreements } = await measure(createSafety());
  for (const [kind, { right, wrong, missed, precision, recall }] of Object.entries(kinds))
    report.note('safety', { kind, right, wrong, missed, precision, recall });
  for (const { id, wrong, missed } of disagreements)
    report.say(
      `  ${[id, ...wrong.map((kind) => `wrongly ${kind}`), ...missed.map((kind) => `missed ${kind}`)].join('  ')}`,
    );
  for (const [what, target] of Object.entries(TARGET))
    report.row({
      what: `safety detectors, ${what}`,
      ours: share(overall[what]),
      target: `≥ ${target}`,
      ok: overall[what] >= target,
    });
}
