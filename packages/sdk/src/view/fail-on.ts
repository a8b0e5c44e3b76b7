import { SEVERITIES, type Severity } from '@touchstone/protocol';
import { newsOf } from './confirmation.js';
import type { FailCondition, RunView } from './run-view.js';
import { plural } from './units.js';

/** What counts when the caller says nothing. */
const USUAL_CONDITIONS: readonly FailCondition[] = ['bar', 'regression'];

/** Conditions that are one word. */
export const PLAIN_CONDITIONS: readonly string[] = [
  'bar',
  'regression',
  'newly-failing',
  'any-failure',
  'removed',
];

/** Reads `newly-failing,finding:high`; `none` is no condition at all. Undefined when a word is not known. */
export function parseFailOn(words: readonly string[]): readonly FailCondition[] | undefined {
  if (words.length === 1 && words[0] === 'none') return [];
  const named = words.map((word) => (word === 'finding' ? `finding:${SEVERITIES[0]}` : word));
  return named.every(isCondition) ? named : undefined;
}

const isCondition = (word: string): word is FailCondition =>
  PLAIN_CONDITIONS.includes(word) || SEVERITIES.some((severity) => word === `finding:${severity}`);

/** The conditions beside `bar` and `regression` that hold, each in words. */
export function otherFailures(view: RunView): readonly string[] {
  return (view.failOn ?? []).flatMap((condition) => {
    const words = wordsFor(condition, view);
    return words === undefined ? [] : [words];
  });
}

function wordsFor(condition: FailCondition, view: RunView): string | undefined {
  if (condition === 'newly-failing') return newlyFailing(view);
  if (condition === 'removed') return removedWords(view);
  if (condition === 'any-failure') {
    const failed = view.counts.failed;
    return failed === 0 ? undefined : `${plural(failed, 'task')} failed`;
  }
  if (!condition.startsWith('finding:')) return undefined;
  const least = SEVERITIES.indexOf(condition.slice('finding:'.length) as Severity);
  const grave = (view.findings ?? []).filter(({ severity }) => SEVERITIES.indexOf(severity) >= least);
  return grave.length === 0
    ? undefined
    : `found ${grave.map(({ kind, severity }) => `${kind} (${severity})`).join(', ')}`;
}

/** Whether the caller counts findings, and one of them is grave enough. */
export const failsByFinding = (view: RunView): boolean =>
  (view.failOn ?? []).some(
    (condition) => condition.startsWith('finding:') && wordsFor(condition, view) !== undefined,
  );

/** `4 tasks newly fail`; undefined when none does, or nothing was compared. */
export function newlyFailing(view: RunView): string | undefined {
  const news = newsOf(view);
  if (news.length === 0) return undefined;
  return `${plural(news.length, 'task')} newly ${news.length === 1 ? 'fails' : 'fail'}`;
}

/** `2 tasks of the baseline were removed: t-1, t-2`; deleting what fails is no repair. */
export function removedWords({ report }: RunView): string | undefined {
  const { removed = [] } = report?.regression?.tasks ?? {};
  if (removed.length === 0) return undefined;
  const more = removed.length > NAMED ? ' …' : '';
  const what = `${plural(removed.length, 'task')} of the baseline ${removed.length === 1 ? 'was' : 'were'} removed`;
  return `${what}: ${removed.slice(0, NAMED).join(', ')}${more}`;
}

const NAMED = 10;

/** The conditions that were asked for and cannot be told: there is no comparison. */
export const openConditions = ({ failOn = [], report }: RunView): readonly FailCondition[] =>
  report?.regression ? [] : failOn.filter((one) => one === 'newly-failing' || one === 'removed');

/** What the conditions change about the verdict, in sentences: for the end of a scorecard. */
export function failOnWords(view: RunView): readonly string[] {
  const { failOn } = view;
  if (!failOn) return [];
  const decided = otherFailures(view).map((words) => `Fails by --fail-on: ${words}.`);
  const ignored = failOn.includes('bar') ? [] : ['Thresholds do not count: --fail-on leaves out bar.'];
  const open = openConditions(view).map(
    (condition) => `--fail-on ${condition} cannot be told: the run was not compared with a baseline.`,
  );
  return [...decided, ...ignored, ...open];
}

/** Whether a condition counts for a run. */
export const countsFor = ({ failOn = USUAL_CONDITIONS }: RunView, condition: FailCondition): boolean =>
  failOn.includes(condition);
