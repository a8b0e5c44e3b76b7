import type { Confusion, Interval } from '@touchstone/protocol';
import { kappaOf } from '../calibration/kappa.js';
import { drawGamma } from './gamma.js';
import { createRandom } from './random.js';

const RESAMPLES = 2_000;
const TAIL = 0.025;

/**
 * A quarter of a task in each cell of the table is added to those that people labelled. Without it, five labels on which
 * both agree have an interval of width 0, and would prove as much as five thousand.
 */
const PRIOR = 0.25;

/**
 * The 95 % bootstrap interval of Cohen's kappa. A cluster is the table of all labels about one task: labels about the
 * same task are alike, so tasks are what is drawn. Weights are drawn for them (Rubin's bootstrap), as for mean scores.
 * Equal tables give an equal interval; their order does not matter.
 */
export function kappaInterval(clusters: readonly Confusion[]): Interval {
  const groups = groupsOf(clusters);
  const random = createRandom(`kappa ${groups.map(({ key, size }) => `${key}/${size}`).join(' ')}`);
  const kappas = Float64Array.from({ length: RESAMPLES }, () => resample(groups, random)).sort();
  const skipped = RESAMPLES * TAIL;
  return [kappas[skipped - 1] as number, kappas[RESAMPLES - skipped] as number];
}

type Group = { readonly key: string; readonly table: Confusion; size: number };

/** A task of the usual number of labels that has all of them in one cell, for each cell. */
function priorsOf(clusters: readonly Confusion[]): readonly Confusion[] {
  const labels = clusters.reduce((sum, { tp, fp, fn, tn }) => sum + tp + fp + fn + tn, 0);
  const size = labels / Math.max(1, clusters.length);
  const none = { tp: 0, fp: 0, fn: 0, tn: 0 };
  return [
    { ...none, tp: size },
    { ...none, fp: size },
    { ...none, fn: size },
    { ...none, tn: size },
  ];
}

/** The weights of equal tables can be drawn as one. */
function groupsOf(clusters: readonly Confusion[]): readonly Group[] {
  const groups = new Map<string, Group>();
  const add = (table: Confusion, size: number): void => {
    const { tp, fp, fn, tn } = table;
    const key = `${tp},${fp},${fn},${tn}`;
    const group = groups.get(key) ?? { key, table, size: 0 };
    group.size += size;
    groups.set(key, group);
  };
  for (const cell of priorsOf(clusters)) add(cell, PRIOR);
  for (const table of clusters) add(table, 1);
  return [...groups.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function resample(groups: readonly Group[], random: () => number): number {
  const sum = { tp: 0, fp: 0, fn: 0, tn: 0 };
  for (const { table, size } of groups) {
    const weight = drawGamma(size, random);
    for (const cell of ['tp', 'fp', 'fn', 'tn'] as const) sum[cell] += weight * table[cell];
  }
  // Only weights that underflow leave the table without a kappa, and then it shows nothing.
  return kappaOf(sum) ?? 0;
}
