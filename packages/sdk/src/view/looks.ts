import type { Look, LooksReport } from '@touchstone/protocol';
import { plural, range, score, signed, whole } from './units.js';
import type { Outcome } from './verdict.js';

/** An evaluation in rounds, with what ended it. */
export type RoundsView = LooksReport & {
  /** Tasks that could have been run; fewer than the suite has when some were selected. */
  readonly selected: number;
  /** Why there was no further round, when it was neither a verdict nor the end of the suite. */
  readonly stopped?: 'interrupted' | 'over-budget' | 'unjudged';
};

const lastOf = ({ looks }: Pick<LooksReport, 'looks'>): Look | undefined => looks.at(-1);

/** What an evaluation in rounds came to. Without a verdict on the score it is not judged. */
export function outcomeOfRounds(view: RoundsView, conclusive = false): Outcome {
  const last = lastOf(view);
  if (view.stopped) return view.stopped;
  if (!last || last.unscored > 0) return 'unjudged';
  if (last.verdict === 'fail' || last.regression?.verdict === 'fail') return 'failed';
  const isOpen =
    last.verdict === 'inconclusive' || (conclusive && last.regression?.verdict === 'inconclusive');
  return isOpen ? 'unjudged' : 'passed';
}

/** The verdict in sentences: what is certain, after how many tasks, and how many were saved. */
export function roundsWords(view: RoundsView): readonly string[] {
  const last = lastOf(view);
  if (!last) return ['No round was completed, so nothing is known.'];
  return [scoreWords(view, last), ...dropWords(view, last), ...restWords(view, last)];
}

function scoreWords({ bar }: RoundsView, { verdict, interval, tasks }: Look): string {
  const after = `after ${plural(tasks, 'task')} (${range(interval)}, right at every look)`;
  if (verdict === 'pass') return `The score is at least ${score(bar)} ${after}.`;
  if (verdict === 'fail') return `The score is below ${score(bar)} ${after}.`;
  return `The threshold ${score(bar)} lies within the interval ${after}: chance alone could decide.`;
}

function dropWords({ tolerance = 0 }: RoundsView, { regression }: Look): readonly string[] {
  if (!regression) return [];
  const { verdict, scoreDelta, differing, paired } = regression;
  const differ = `${whole(differing)} of ${plural(paired, 'task')} differ`;
  if (verdict === 'fail') return [`REGRESSION real: ${signed(scoreDelta)}, ${differ}.`];
  if (verdict === 'pass') return [`No drop of more than ${tolerance} against the baseline: ${differ}.`];
  return [`No regression was found: ${signed(scoreDelta)}, ${differ}.`];
}

function restWords({ selected, stopped }: RoundsView, { tasks, verdict, unscored }: Look): readonly string[] {
  const left = selected - tasks;
  const open =
    unscored > 0 ? [`${plural(unscored, 'task')} could not be scored, which leaves the result open.`] : [];
  if (stopped === 'over-budget') return [...open, 'The budget is spent.'];
  if (left > 0 && !stopped) return [...open, `${plural(left, 'task')} did not have to be run.`];
  if (verdict === 'inconclusive' && !stopped) return [...open, EXHAUSTED];
  return open;
}

const EXHAUSTED =
  'All tasks were run. Without looks in between, one run of all tasks has a narrower interval and may decide.';
