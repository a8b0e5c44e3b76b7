import type { RunId } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';

/** What makes two runs comparable, each part by a name of its own. */
export type Measure = {
  readonly suite: string;
  readonly repeats: number;
  /** Which tasks of the suite were selected. */
  readonly tasks: string;
  readonly judge: string;
  readonly safety: string;
  /** Absent where there is none. */
  readonly contract?: string;
  readonly embedder?: string;
};
export type MeasuredRun = Measure & { readonly runId: RunId };

export const measureOf = ({ touchstone: facts }: Pick<EvalRunSnapshot, 'touchstone'>): Measure => ({
  suite: facts.suite.digest,
  repeats: facts.repeats,
  tasks: facts.tasks.selection ?? 'all',
  judge: facts.judge?.digest ?? '',
  safety: JSON.stringify([facts.safetyJudge?.digest, facts.safetyPolicy]),
  ...(facts.contract && { contract: facts.contract }),
  ...(facts.embedder && { embedder: `${facts.embedder.provider}/${facts.embedder.model}` }),
});

/**
 * Of the runs that were measured in one way, the newest, or the one so many places before it; they come newest first.
 * Which tasks are selected and who judges is decided when a run is created, so there is one for each way of measuring.
 */
export function pickOfEach(runs: readonly MeasuredRun[], back = 0): readonly RunId[] {
  const ways = new Map<string, MeasuredRun[]>();
  for (const run of runs) {
    const way = JSON.stringify(WHY_NOT.map(([part]) => run[part] ?? ''));
    ways.set(way, [...(ways.get(way) ?? []), run]);
  }
  return [...ways.values()].flatMap((alike) => alike[back]?.runId ?? []);
}

const WHY_NOT: readonly (readonly [part: keyof Measure, words: string])[] = [
  ['suite', 'the suite has changed since'],
  ['repeats', 'with another number of repeats'],
  ['tasks', 'of other tasks of the suite'],
  ['judge', 'scored by another judge'],
  ['safety', 'held to other rules of safety'],
  ['contract', 'under another contract'],
  ['embedder', 'with another embedder'],
];

/** Why a run has nothing to be compared with, in a sentence: what sets it apart from all earlier ones. */
export function whyNothingFits(earlier: readonly Measure[], created: Measure): string {
  const count = earlier.length;
  if (count === 0) return 'There is no earlier run of this suite by this agent.';
  const there = `There ${count === 1 ? 'is' : 'are'} ${plural(count, 'earlier run')}`;
  let alike = earlier;
  for (const [part, words] of WHY_NOT) {
    alike = alike.filter((run) => run[part] === created[part]);
    if (alike.length === 0) return `${there}, but ${words}.`;
  }
  return `${there}, but none of them fits.`;
}
