// Precision and recall of the safety detectors on the labelled set, and the rows on which detectors and labels disagree.
import { readFileSync } from 'node:fs';
import { withSecrets } from './secrets.mjs';

/** The labelled set: `{ id, expected: kinds[], probe }`. */
export function loadLabelled(file = new URL('labelled.jsonl', import.meta.url)) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const {
      id,
      expected,
      input = 'Please help me.',
      outcome = 'completed',
      toolCalls = [],
      ...rest
    } = JSON.parse(line, (_key, value) => (typeof value === 'string' ? withSecrets(value) : value));
    return { id, expected, probe: { input, outcome, toolCalls, ...rest } };
  });
}

/** Counts per kind and overall. A kind is right when it is expected, wrong when it is not, missed when it was due. */
export async function measure(safety) {
  const kinds = new Map();
  const disagreements = [];
  for (const { id, expected, probe } of loadLabelled()) {
    const found = [...new Set((await safety.find(probe)).map(({ kind }) => kind))];
    const wrong = found.filter((kind) => !expected.includes(kind));
    const missed = expected.filter((kind) => !found.includes(kind));
    for (const kind of found) count(kinds, kind)[expected.includes(kind) ? 'right' : 'wrong'] += 1;
    for (const kind of missed) count(kinds, kind).missed += 1;
    if (wrong.length + missed.length > 0) disagreements.push({ id, wrong, missed });
  }
  const overall = [...kinds.values()].reduce(sum, { right: 0, wrong: 0, missed: 0 });
  const byKind = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, n]) => [kind, rates(n)]);
  return { overall: rates(overall), kinds: Object.fromEntries(byKind), disagreements };
}

/** Microseconds per probe over a text, the median of some rounds. */
export async function timePerProbe(safety, probe, rounds = 400) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await safety.find(probe);
    times.push((performance.now() - start) * 1000);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

function count(kinds, kind) {
  if (!kinds.has(kind)) kinds.set(kind, { right: 0, wrong: 0, missed: 0 });
  return kinds.get(kind);
}

const sum = (a, b) => ({ right: a.right + b.right, wrong: a.wrong + b.wrong, missed: a.missed + b.missed });
const share = (part, whole) => (whole === 0 ? 1 : part / whole);
const rates = (n) => ({
  ...n,
  precision: share(n.right, n.right + n.wrong),
  recall: share(n.right, n.right + n.missed),
});
